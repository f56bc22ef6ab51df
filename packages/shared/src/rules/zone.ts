import { civilDate, DAY_SECONDS, dayNumber } from './calendar.js';
import { RecentCache } from './recent-cache.js';

/** A stretch of time in which the zone's clock neither jumps forward nor back. Seconds since 1970, `toSec` exclusive. */
export interface Stretch {
  fromSec: number;
  toSec: number;
  /** Seconds to add to UTC to read the local clock: in this stretch, just before it and just after it. */
  offset: number;
  offsetBefore: number;
  offsetAfter: number;
}

// The shortest stretch between two changes of clocks that zones know since 1970 is Ramadan's, about a month.
const SAMPLE_SECONDS = 20 * DAY_SECONDS;
const QUARTER_SECONDS = 900;

export class Zone {
  private readonly years = new Map<number, Stretch[]>();
  private latest: Stretch | undefined;

  constructor(private readonly offsetAt: (sec: number) => number) {}

  stretchAt(sec: number): Stretch {
    const { latest } = this;
    if (latest && sec >= latest.fromSec && sec < latest.toSec) return latest;
    const { year } = civilDate(Math.floor(sec / DAY_SECONDS));
    let stretches = this.years.get(year);
    if (!stretches) {
      stretches = this.stretchesOf(year);
      this.years.set(year, stretches);
    }
    const found = stretches.find((stretch) => sec < stretch.toSec);
    if (!found) throw new RangeError(`no stretch of time at ${sec}`);
    this.latest = found;
    return found;
  }

  /** What the local clock reads, as seconds since 1970-01-01T00:00 on that clock. */
  readingAt(sec: number): number {
    return sec + this.stretchAt(sec).offset;
  }

  // Years end stretches too, transition or not: it keeps the work for one question down to one year.
  private stretchesOf(year: number): Stretch[] {
    const startSec = dayNumber(year, 1, 1) * DAY_SECONDS;
    const endSec = dayNumber(year + 1, 1, 1) * DAY_SECONDS;
    const begins = [
      { sec: startSec, offset: this.offsetAt(startSec) },
      ...this.changesBetween(startSec, endSec),
    ];
    return begins.map(({ sec, offset }, i) => ({
      fromSec: sec,
      toSec: begins[i + 1]?.sec ?? endSec,
      offset,
      offsetBefore: begins[i - 1]?.offset ?? this.offsetAt(sec - 1),
      offsetAfter: begins[i + 1]?.offset ?? this.offsetAt(endSec),
    }));
  }

  private changesBetween(startSec: number, endSec: number): { sec: number; offset: number }[] {
    const found: { sec: number; offset: number }[] = [];
    let sec = startSec;
    let offset = this.offsetAt(sec);
    while (sec < endSec - 1) {
      const aheadSec = Math.min(sec + SAMPLE_SECONDS, endSec - 1);
      if (this.offsetAt(aheadSec) === offset) {
        sec = aheadSec;
      } else {
        sec = this.firstChange(sec, aheadSec, offset);
        offset = this.offsetAt(sec);
        found.push({ sec, offset });
      }
    }
    return found;
  }

  /** The first second with another offset. Nearly always it is a quarter of an hour by UTC, so those come first. */
  private firstChange(sameSec: number, otherSec: number, offset: number): number {
    let same = sameSec;
    let other = otherSec;
    for (const stepSec of [QUARTER_SECONDS, 1]) {
      while (other - same > stepSec) {
        const middle = Math.ceil((same + other) / 2 / stepSec) * stepSec;
        if (middle >= other) break;
        if (this.offsetAt(middle) === offset) same = middle;
        else other = middle;
      }
      if (this.offsetAt(other - 1) === offset) return other;
    }
    return other;
  }
}

const zones = new RecentCache<string, Zone>(600);

export function zoneNamed(name: string): Zone {
  return zones.get(name, () => new Zone(offsetReader(name)));
}

function offsetReader(name: string): (sec: number) => number {
  if (name === 'UTC') return () => 0;
  // A formatter costs 100 µs to make and 1.4 µs to ask, the least of Intl's ways to tell an offset.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  return (sec) => readOffset(format.format(sec * 1000));
}

function readOffset(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!match) throw new Error(`cannot read an offset from "${text}"`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}

const OFFSET_LIKE = /^(?:utc|gmt)?\s*[+-]\s*\d{1,2}(?::?\d{2})?$/i;

/** What is wrong with the name of a time zone, or null. */
export function timeZoneProblem(name: string): string | null {
  if (OFFSET_LIKE.test(name)) {
    return `"${name}" is an offset, which knows nothing of daylight saving; expected an IANA name such as Europe/Berlin or UTC`;
  }
  if (isTimeZone(name)) return null;
  const city = name.trim().toLowerCase().replaceAll(' ', '_').slice(0, 40);
  const near = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(`/${city}`));
  const hint = near ? `did you mean ${near}?` : 'expected an IANA name such as Europe/Berlin or UTC';
  return `"${name.slice(0, 40)}" is not a known time zone; ${hint}`;
}

export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== null;
}

const canonicalNames = new RecentCache<string, string | false>(2000);

/** The name as IANA spells it. An alias stays what it is: Europe/Kyiv does not become Europe/Kiev. */
export function canonicalTimeZone(name: string): string | null {
  // Longer than any name; and Intl of later Node versions takes offsets for zones.
  if (name.length > 64 || OFFSET_LIKE.test(name)) return null;
  return canonicalNames.get(name, () => askIntl(name)) || null;
}

function askIntl(name: string): string | false {
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === 'UTC' || resolved.toLowerCase() === name.toLowerCase() ? resolved : name;
  } catch {
    return false;
  }
}
