import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countOccurrences, lastOccurrence, nextOccurrence, nextOccurrences } from '../occurrences.js';
import { parseTiming } from '../parse-timing.js';
import type { Timing } from '../timing.js';

/**
 * Facts that the test suite of another library states about a rule. Times are in UTC, without the Z, and without
 * seconds if these are zero.
 */
interface Fact {
  cron?: string;
  rrule?: string;
  zone?: string;
  /** The pattern or rule is invalid. */
  refused?: true;
  /** The occurrences after `after` begin with `next`; an empty list means that there is none. */
  after?: string;
  next?: string[];
  /** All occurrences, or all until `until`. */
  all?: string[];
  until?: string;
  /** The last occurrence before `after`. */
  previous?: string;
  /** For each instant, whether the rule fires at it. */
  fires?: Record<string, boolean>;
  /** Properties of all occurrences. */
  count?: number;
  last?: string;
  months?: number[];
  weekdays?: number[];
  monthdays?: number[];
  hours?: number[];
  minutes?: number[];
  seconds?: number[];
  /** The code of a deliberate difference: a row of the second table in CONFORMANCE.md. */
  differs?: string;
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const suites = Object.entries(JSON.parse(read('./facts.json')) as Record<string, Fact[]>);
const page = read('../../CONFORMANCE.md');

const FIRST_AT = Date.UTC(1900, 0, 1);
const LAST_AT = Date.UTC(2199, 11, 31);
const instantOf = (text: string) => Date.parse(text.length === 16 ? `${text}:00Z` : `${text}Z`);
const textOf = (at: number) => new Date(at).toISOString().slice(0, 19).replace(/:00$/, '');

function agrees(fact: Fact): boolean {
  const rule = fact.cron === undefined ? { rrule: fact.rrule ?? '' } : { cron: fact.cron };
  // Other libraries have no policy for 29 February; they fire in leap years only.
  const parsed = parseTiming({ rule, timezone: fact.zone, leapDay: 'skip' }, { anchorAt: FIRST_AT });
  if (fact.refused) return !parsed.ok;
  if (parsed.ok) return agreesOn(fact, parsed.timing);
  // Our parser refuses a rule that never fires. It agrees with the suite if the suite expects no occurrence of this
  // rule.
  const isNever = parsed.problems[0]?.message.startsWith('this rule never fires') === true;
  const expected = fact.next ?? fact.all ?? [];
  const expectsAny =
    expected.length > 0 || (fact.count ?? 0) > 0 || Object.values(fact.fires ?? {}).includes(true);
  return isNever && !expectsAny && fact.previous === undefined;
}

function agreesOn(fact: Fact, timing: Timing): boolean {
  const isSame = (instants: number[], expected: string[]) => instants.map(textOf).join() === expected.join();
  if (fact.fires) {
    return Object.entries(fact.fires).every(([text, fires]) => {
      const at = instantOf(text);
      return (nextOccurrence(timing, at - 1) === at) === fires;
    });
  }
  const afterAt = fact.after === undefined ? FIRST_AT - 1 : instantOf(fact.after);
  if (fact.previous !== undefined) {
    return lastOccurrence(timing, FIRST_AT, afterAt - 1) === instantOf(fact.previous);
  }
  if (fact.next) return isSame(nextOccurrences(timing, afterAt, fact.next.length || 1), fact.next);
  if (fact.all) {
    const untilAt = fact.until === undefined ? LAST_AT : instantOf(fact.until);
    const instants = nextOccurrences(timing, afterAt, fact.all.length + 1);
    return isSame(
      instants.filter((at) => at <= untilAt),
      fact.all,
    );
  }
  return hasProperties(fact, timing);
}

function hasProperties(fact: Fact, timing: Timing): boolean {
  if (fact.count !== undefined && countOccurrences(timing, FIRST_AT - 1, LAST_AT) !== fact.count)
    return false;
  if (fact.last !== undefined && lastOccurrence(timing, FIRST_AT - 1, LAST_AT) !== instantOf(fact.last)) {
    return false;
  }
  const allows = (list: number[] | undefined, value: number) => list === undefined || list.includes(value);
  return nextOccurrences(timing, FIRST_AT - 1, 200).every((at) => {
    const date = new Date(at);
    return (
      allows(fact.months, date.getUTCMonth() + 1) &&
      allows(fact.weekdays, date.getUTCDay()) &&
      allows(fact.monthdays, date.getUTCDate()) &&
      allows(fact.hours, date.getUTCHours()) &&
      allows(fact.minutes, date.getUTCMinutes()) &&
      allows(fact.seconds, date.getUTCSeconds())
    );
  });
}

describe('conformance', () => {
  it.each(suites)(
    'rules fire as the test suite of %s states, except for documented differences',
    (_suite, facts) => {
      const broken = facts.filter((fact) => fact.differs === undefined && !agrees(fact));
      expect(broken).toEqual([]);
    },
  );

  it.each(suites)('each documented difference from the test suite of %s still exists', (_suite, facts) => {
    const outdated = facts.filter((fact) => fact.differs !== undefined && agrees(fact));
    expect(outdated).toEqual([]);
  });

  it('CONFORMANCE.md states how many facts come from each test suite, and how many of them agree and differ', () => {
    const rows = suites.map(([suite, facts]) => {
      const differing = facts.filter(({ differs }) => differs !== undefined).length;
      return `| ${suite} | ${facts.length} | ${facts.length - differing} | ${differing} |`;
    });
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  it('CONFORMANCE.md states how many facts, rules and instants the test has', () => {
    const facts = suites.flatMap(([, list]) => list);
    const rules = new Set(facts.map(({ cron, rrule, zone }) => JSON.stringify([cron, rrule, zone])));
    const instants = facts.flatMap(({ next = [], all = [], fires = {}, previous }) => [
      ...next,
      ...all,
      ...Object.keys(fires),
      ...(previous === undefined ? [] : [previous]),
    ]);
    const inWords = (list: { length: number }) => list.length.toLocaleString('en');
    const agreeing = facts.filter(({ differs }) => differs === undefined);
    expect(page).toContain(`${inWords(facts)} facts of twelve public test suites`);
    expect(page).toContain(`${inWords({ length: rules.size })} different rules`);
    expect(page).toContain(`${inWords(instants)} instants`);
    expect(page).toContain(`${inWords(agreeing)} facts hold`);
  });

  it('CONFORMANCE.md lists each kind of difference from other libraries, and how many facts differ in that way', () => {
    const counts = new Map<string, number>();
    for (const { differs } of suites.flatMap(([, facts]) => facts)) {
      if (differs !== undefined) counts.set(differs, (counts.get(differs) ?? 0) + 1);
    }
    const rows = [...counts].map(([code, count]) => `| \`${code}\` | ${count} |`);
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });
});
