import type { Call, Turn } from "./turn.js";

/** A time in which a turn waited for a person, in milliseconds since 1970. `by` is who decided, if that is known. */
export interface Wait {
  readonly begin: number;
  readonly end: number;
  readonly by?: string | undefined;
  /** The ids of the calls that were decided on. */
  readonly calls: readonly string[];
}

/** The waits of a turn that are over, in order. What was asked at once is one wait, up to its last decision. */
export function waitsOf({ steps }: Turn): Wait[] {
  const single = steps.flatMap(({ calls }) => calls.flatMap(waitsOfCall)).sort((one, other) => one.begin - other.begin);
  const waits: Wait[] = [];
  for (const wait of single) {
    const last = waits.at(-1);
    if (last === undefined || wait.begin >= last.end) waits.push(wait);
    else
      waits[waits.length - 1] = { ...last, end: Math.max(last.end, wait.end), calls: [...last.calls, ...wait.calls] };
  }
  return waits;
}

function waitsOfCall({ id, decided, inner }: Call): Wait[] {
  const own =
    decided?.askedAt === undefined ? [] : [{ begin: Date.parse(decided.askedAt), end: Date.parse(decided.at) }];
  return [...own.map((times) => ({ ...times, by: decided?.by, calls: [id] })), ...inner.flatMap(waitsOf)];
}

/** The milliseconds of some waits. */
export function waitedMs(waits: readonly Wait[]): number {
  return waits.reduce((total, { begin, end }) => total + end - begin, 0);
}
