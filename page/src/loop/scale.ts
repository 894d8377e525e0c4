/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** Where times lie in the width of a picture, from 0 to 1. */
export interface Scale {
  place(time: number): number;
  /** The waits that are drawn shorter than they were. */
  readonly cuts: readonly Stretch[];
  /** Times since the beginning, in milliseconds, for marks. */
  readonly marks: readonly { readonly ms: number; readonly place: number }[];
}

/** The largest share of the width that a cut wait keeps. */
const KEPT = 0.1;

/**
 * Makes the scale of a stretch of time.
 *
 * @param waits Waits for people, in order. Each that would take more than a tenth of the width is cut to it: three days of waiting
 *   leave room for the work.
 */
export function scaleOf({ begin, end }: Stretch, waits: readonly Stretch[]): Scale {
  const total = Math.max(1, end - begin);
  const cuts = cutWaits(total, waits);
  const kept = keptBy(cuts.length);
  const rest = Math.max(1, total - lengthOf(cuts));
  const share = 1 - kept * cuts.length;
  const place = (time: number) => {
    const inside = Math.min(Math.max(time, begin), end);
    let [worked, waited] = [inside - begin, 0];
    for (const cut of cuts) {
      const passed = Math.min(Math.max(inside - cut.begin, 0), cut.end - cut.begin);
      worked -= passed;
      waited += (kept * passed) / (cut.end - cut.begin);
    }
    return Math.min(1, (worked / rest) * share + waited);
  };
  return { place, cuts, marks: marksOf(begin, total, rest, cuts, place) };
}

/** The waits that would take more than the share of a cut one, if the work had the room that all cut ones leave it. */
function cutWaits(total: number, waits: readonly Stretch[]): Stretch[] {
  const kept = keptBy(waits.length);
  const longest = (kept * (total - lengthOf(waits))) / (1 - kept * waits.length);
  return waits.filter((wait) => wait.end - wait.begin > longest);
}

/** The share of the width that each of some cut waits keeps: not more than half together. */
function keptBy(cuts: number): number {
  return Math.min(KEPT, 0.5 / Math.max(1, cuts));
}

function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((total, { begin, end }) => total + end - begin, 0);
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const distances = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 20].map((minutes) => minutes * minute),
  ...[1, 2, 5, 12].map((hours) => hours * hour),
  ...[1, 2, 5, 10, 50].map((days) => days * day),
];

/** At most six marks at round times, none in a cut, none close to another. */
function marksOf(begin: number, total: number, rest: number, cuts: readonly Stretch[], place: Scale["place"]) {
  const distance = distances.find((one) => rest / one < 5.5) ?? total;
  const marks: { ms: number; place: number }[] = [];
  const stretches = [...cuts, { begin: begin + total, end: begin + total }];
  let from = 0;
  for (const cut of stretches) {
    for (let ms = Math.ceil(from / distance) * distance; ms <= cut.begin - begin; ms += distance) {
      const at = place(begin + ms);
      if (at < 0.95 && at - (marks.at(-1)?.place ?? -1) > 0.15) marks.push({ ms, place: at });
    }
    from = cut.end - begin;
  }
  return marks;
}
