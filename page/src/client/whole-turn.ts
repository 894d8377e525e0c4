import type { Cut, TurnPart } from "../wire.js";
import type { Requests } from "./requests.js";

/** The most characters of what was cut that are loaded for a turn. */
const MOST = 4_000_000;
/** What the page shows of nothing. */
const unseen = new Set(["content", "artifact", "additional_kwargs", "message"]);

/** Loads all steps of a turn, with what was cut of their texts. */
export async function loadWholeTurn(requests: Requests, path: string, checkpoint?: string): Promise<TurnPart> {
  const read = (query: string) => requests.get<TurnPart>(`${path}?${query}`);
  const at = checkpoint === undefined ? "" : `checkpoint=${checkpoint}&`;
  const head = await read(`${at}from=0`);
  const steps = [...head.steps];
  for (let next = head.next; next !== null; ) {
    const page = await read(`${at}from=${next}`);
    steps.push(...page.steps);
    next = page.next;
  }
  const turn = { ...head, steps };
  let left = MOST;
  for (const holder of [turn, ...steps]) {
    for (const cut of holder.cut ?? []) {
      left -= cut.length;
      if (left > 0 && !cut.path.some((key) => unseen.has(String(key)))) await fill(requests, path, holder, cut);
    }
  }
  return turn;
}

interface Part {
  readonly part: unknown;
  readonly cut?: readonly Cut[];
}

/** Loads the rest of what was cut, and puts it in its place. */
async function fill(requests: Requests, address: string, holder: object, { path, link }: Cut): Promise<void> {
  const around = path.slice(0, -1).reduce<unknown>((value, key) => fieldOf(value, key), holder);
  const key = path.at(-1);
  if (typeof around !== "object" || around === null || key === undefined) return;
  for (let next = link; next !== undefined; ) {
    const { part, cut = [] }: Part = await requests.get(`${address}${next}`);
    const known = fieldOf(around, key);
    if (typeof part === "string") Reflect.set(around, key, `${known ?? ""}${part}`);
    else if (Array.isArray(part)) Reflect.set(around, key, [...(Array.isArray(known) ? known : []), ...part]);
    else return;
    next = cut.find(({ path }) => path.length === 0)?.link;
  }
}

function fieldOf(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
