import { RecentCache } from '../recent-cache.js';

/**
 * The IANA names without a slash. The list is closed: the database adds no such names any more. Intl also accepts
 * abbreviations that are not in it, with meanings that hardly any caller expects (`BST` is Dhaka, `AST` is Anchorage).
 */
const NAMES_WITHOUT_SLASH = new Map(
  [
    ...['UTC', 'UCT', 'GMT', 'GMT0', 'GMT+0', 'GMT-0', 'Greenwich', 'Universal', 'Zulu'],
    ...['CET', 'EET', 'MET', 'WET', 'EST', 'MST', 'HST', 'EST5EDT', 'CST6CDT', 'MST7MDT', 'PST8PDT'],
    ...[
      'Cuba',
      'Egypt',
      'Eire',
      'GB',
      'GB-Eire',
      'Hongkong',
      'Iceland',
      'Iran',
      'Israel',
      'Jamaica',
      'Japan',
    ],
    ...['Kwajalein', 'Libya', 'Navajo', 'NZ', 'NZ-CHAT', 'Poland', 'Portugal', 'PRC', 'ROC', 'ROK'],
    ...['Singapore', 'Turkey', 'W-SU'],
  ].map((name) => [name.toUpperCase(), name]),
);

/**
 * The time zone that each common abbreviation most likely means. It is only suggested, because many abbreviations are
 * ambiguous.
 */
const SUGGESTIONS = new Map(
  Object.entries({
    'Africa/Cairo': 'EEST',
    'Africa/Johannesburg': 'SAST',
    'Africa/Lagos': 'WAT',
    'Africa/Maputo': 'CAT',
    'Africa/Nairobi': 'EAT',
    'America/Anchorage': 'AKST AKDT',
    'America/Argentina/Buenos_Aires': 'ART AGT',
    'America/Chicago': 'CST CDT',
    'America/Denver': 'MDT',
    'America/Halifax': 'AST ADT',
    'America/Indiana/Indianapolis': 'IET',
    'America/Los_Angeles': 'PST PDT PT',
    'America/New_York': 'EDT ET',
    'America/Phoenix': 'PNT',
    'America/Puerto_Rico': 'PRT',
    'America/Sao_Paulo': 'BRT BET',
    'America/St_Johns': 'NST NDT CNT',
    'Asia/Dubai': 'GST',
    'Asia/Ho_Chi_Minh': 'VST ICT',
    'Asia/Hong_Kong': 'HKT',
    'Asia/Karachi': 'PKT PLT',
    'Asia/Kolkata': 'IST',
    'Asia/Manila': 'PHT',
    'Asia/Seoul': 'KST',
    'Asia/Shanghai': 'CTT',
    'Asia/Singapore': 'SGT',
    'Asia/Tokyo': 'JST',
    'Asia/Yerevan': 'NET AMT',
    'Australia/Darwin': 'ACT ACST',
    'Australia/Perth': 'AWST',
    'Australia/Sydney': 'AET AEST AEDT',
    'Europe/Berlin': 'CEST MEZ MESZ',
    'Europe/Lisbon': 'WEST',
    'Europe/London': 'BST',
    'Europe/Moscow': 'MSK',
    'Europe/Paris': 'ECT',
    'Pacific/Apia': 'MIT',
    'Pacific/Auckland': 'NZST NZDT NZT',
    'Pacific/Guadalcanal': 'SBT',
    'Pacific/Pago_Pago': 'SST',
  }).flatMap(([zone, abbreviations]) =>
    abbreviations.split(' ').map((abbreviation): [string, string] => [abbreviation, zone]),
  ),
);

const OFFSET_LIKE = /^(?:utc|gmt)?\s*[+-]\s*\d{1,2}(?::?\d{2})?$/i;
const MAX_NAME_LENGTH = 64;

/** Says what is wrong with the name of a time zone, or returns null if the name is valid. */
export function timeZoneProblem(name: string): string | null {
  if (isTimeZone(name)) return null;
  if (OFFSET_LIKE.test(name)) {
    return `"${name}" is a UTC offset, which has no daylight saving time; expected an IANA name such as Europe/Berlin or UTC`;
  }
  const suggested = SUGGESTIONS.get(name.toUpperCase());
  if (suggested) {
    return `"${name}" is an abbreviation, which can stand for several time zones; expected an IANA name: did you mean ${suggested}?`;
  }
  const city = name.trim().toLowerCase().replaceAll(' ', '_').slice(0, 40);
  const near = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(`/${city}`));
  const hint = near ? `did you mean ${near}?` : 'expected an IANA name such as Europe/Berlin or UTC';
  return `"${name.slice(0, 40)}" is not a known time zone; ${hint}`;
}

export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== null;
}

const canonicalNames = new RecentCache<string, string | false>(2000);

/**
 * Returns the name of a time zone in its IANA spelling (europe/berlin becomes Europe/Berlin), or null if the name is
 * not valid. Names that ICU resolves to UTC become `UTC`. For some names that contain a slash, ICU has another name:
 * Europe/Kiev for Europe/Kyiv. Such a name is returned as it was typed.
 */
export function canonicalTimeZone(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  return canonicalNames.get(name, () => lookUp(name)) || null;
}

function lookUp(name: string): string | false {
  // Newer Node versions accept UTC offsets and ICU's SystemV zones here; neither is an IANA name.
  const isIana = name.includes('/') ? !/^systemv\//i.test(name) : NAMES_WITHOUT_SLASH.has(name.toUpperCase());
  if (!isIana) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    if (resolved === 'UTC' || resolved.toLowerCase() === name.toLowerCase()) return resolved;
    return NAMES_WITHOUT_SLASH.get(name.toUpperCase()) ?? name;
  } catch {
    return false;
  }
}
