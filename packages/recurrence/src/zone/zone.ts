import { civilDate, DAY_SECONDS, dayNumber } from '../calendar/civil-date.js';
import { RecentCache } from '../recent-cache.js';

/** A span of time with one UTC offset. All fields are in seconds; `toSec` is exclusive. */
export interface OffsetSpan {
  fromSec: number;
  toSec: number;
  /** Local time minus UTC: during the span, just before it and just after it. */
  offset: number;
  offsetBefore: number;
  offsetAfter: number;
}

// Two transitions that cancel each other out are invisible between two samples. The closest such pair of all zones from
// 1900 to 2199 is seven days apart (Asia/Gaza in October 2040), so samples have to be closer than that.
const SAMPLE_SECONDS = 6 * DAY_SECONDS;
const QUARTER_HOUR_SECONDS = 900;

/** The UTC offsets of a time zone, computed year by year and cached. */
export class Zone {
  private readonly years = new Map<number, OffsetSpan[]>();
  private latest: OffsetSpan | undefined;

  constructor(private readonly offsetAt: (sec: number) => number) {}

  spanAt(sec: number): OffsetSpan {
    const { latest } = this;
    if (latest && sec >= latest.fromSec && sec < latest.toSec) return latest;
    const { year } = civilDate(Math.floor(sec / DAY_SECONDS));
    let spans = this.years.get(year);
    if (!spans) {
      spans = this.spansOf(year);
      this.years.set(year, spans);
    }
    const currentSpan = spans.find((span) => sec < span.toSec);
    if (!currentSpan) throw new RangeError(`no UTC offset is known at ${sec}`);
    this.latest = currentSpan;
    return currentSpan;
  }

  /** The wall-clock reading at an instant, in seconds since 1970-01-01T00:00 on the local clock. */
  readingAt(sec: number): number {
    return sec + this.spanAt(sec).offset;
  }

  // A span also ends with its UTC year, so that one lookup never has to compute more than one year.
  private spansOf(year: number): OffsetSpan[] {
    const startSec = dayNumber(year, 1, 1) * DAY_SECONDS;
    const endSec = dayNumber(year + 1, 1, 1) * DAY_SECONDS;
    const starts = [
      { sec: startSec, offset: this.offsetAt(startSec) },
      ...this.transitionsBetween(startSec, endSec),
    ];
    return starts.map(({ sec, offset }, i) => ({
      fromSec: sec,
      toSec: starts[i + 1]?.sec ?? endSec,
      offset,
      offsetBefore: starts[i - 1]?.offset ?? this.offsetAt(sec - 1),
      offsetAfter: starts[i + 1]?.offset ?? this.offsetAt(endSec),
    }));
  }

  private transitionsBetween(startSec: number, endSec: number): { sec: number; offset: number }[] {
    const transitions: { sec: number; offset: number }[] = [];
    let sec = startSec;
    let offset = this.offsetAt(sec);
    while (sec < endSec - 1) {
      const sampleSec = Math.min(sec + SAMPLE_SECONDS, endSec - 1);
      if (this.offsetAt(sampleSec) === offset) {
        sec = sampleSec;
      } else {
        sec = this.firstChange(sec, sampleSec, offset);
        offset = this.offsetAt(sec);
        transitions.push({ sec, offset });
      }
    }
    return transitions;
  }

  /**
   * The first second with another offset, by bisection. Nearly all transitions fall on a quarter of an hour in UTC, so
   * quarters are tried first and single seconds only if that fails.
   */
  private firstChange(unchangedSec: number, changedSec: number, offset: number): number {
    let unchanged = unchangedSec;
    let changed = changedSec;
    for (const stepSec of [QUARTER_HOUR_SECONDS, 1]) {
      while (changed - unchanged > stepSec) {
        const middle = Math.ceil((unchanged + changed) / 2 / stepSec) * stepSec;
        if (middle >= changed) break;
        if (this.offsetAt(middle) === offset) unchanged = middle;
        else changed = middle;
      }
      if (this.offsetAt(changed - 1) === offset) return changed;
    }
    return changed;
  }
}

// There are about 600 names. A zone that was asked about every year from 1900 to 2199 holds some 90 kB.
const zones = new RecentCache<string, Zone>(600);

export function zoneNamed(name: string): Zone {
  return zones.get(name, () => new Zone(offsetReader(name)));
}

function offsetReader(name: string): (sec: number) => number {
  if (name === 'UTC') return () => 0;
  // This is the fastest way to read a UTC offset with Intl: 1.4 µs a call, and 100 µs to create the formatter.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  return (sec) => parseLongOffset(format.format(sec * 1000));
}

function parseLongOffset(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!match) throw new Error(`cannot read a UTC offset from "${text}"`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
}
