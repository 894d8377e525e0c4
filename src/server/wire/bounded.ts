import type { Context } from "hono";
import { z } from "zod";
import { attempted } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import { answer } from "./http-json.js";
import { mostBytes, Page } from "./page.js";
import { RequestError } from "./request-error.js";
import { wireJson } from "./wire-json.js";

const MOST_CHARACTERS = 20_000;
/** The most of a text that an answer is about. What else the answer says has room beside it. */
export const MOST_OF_ONE_TEXT = 240_000;
/** Deeper values are cut. */
const MOST_LEVELS = 64;

type Path = readonly (string | number)[];
/** Returns the address of what is left at a path, from a character, an item or a field on. */
type LinkTo = (path: Path, from: number) => string;

/** Where something was left out, and the length of the whole: characters of a text, items of a list, fields of an object. */
interface Cut {
  readonly path: Path;
  readonly length: number;
  /** The address of the rest. */
  readonly link?: string | undefined;
}

interface Bounds {
  readonly mostCharacters?: number | undefined;
  /** About the most bytes. */
  readonly most?: number;
  readonly linkTo?: LinkTo;
}

/**
 * Returns an object as JSON that has a largest size: long texts are cut, and lists and objects end early. Its field `cut` says
 * where, if something was left out.
 */
export function bounded(value: object, bounds: Bounds = {}): { readonly json: object; readonly bytes: number } {
  const { kept, cut, bytes } = cutOff(JSON.parse(wireJson(value)), bounds);
  return { json: { ...Object(kept), ...(cut.length > 0 && { cut }) }, bytes };
}

/** Cuts JSON to a largest size. @param from The first character, item or field of it that is kept. */
function cutOff(
  json: unknown,
  { mostCharacters = MOST_CHARACTERS, most = mostBytes.answer, linkTo }: Bounds,
  from = 0,
) {
  let left = most;
  const cut: Cut[] = [];

  function note(path: Path, end: number, length: number): void {
    if (end >= length) return;
    const one = { path, length, link: linkTo?.(path, end) };
    left -= Buffer.byteLength(JSON.stringify(one));
    cut.push(one);
  }

  function text(whole: string, path: Path, from: number): string {
    const end = from + Math.max(0, Math.min(left, mostCharacters));
    const shown = whole.slice(from, end);
    // No character is cut in half.
    const kept = end < whole.length ? shown.replace(/[\ud800-\udbff]$/, "") : shown;
    left -= Buffer.byteLength(kept) + 3;
    note(path, from + kept.length, whole.length);
    return kept;
  }

  function fields(entries: readonly (readonly [string | number, unknown])[], path: Path, from: number) {
    const kept = new Map<string | number, unknown>();
    for (const [key, inner] of path.length < MOST_LEVELS ? entries.slice(from) : []) {
      if (left <= 0) break;
      left -= typeof key === "string" ? Buffer.byteLength(key) + 4 : 1;
      kept.set(key, part(inner, [...path, key]));
    }
    note(path, from + kept.size, entries.length);
    return kept;
  }

  function part(inner: unknown, path: Path, from = 0): unknown {
    if (typeof inner === "string") return text(inner, path, from);
    if (Array.isArray(inner)) return [...fields([...inner.entries()], path, from).values()];
    if (isRecord(inner)) return Object.fromEntries(fields(Object.entries(inner), path, from));
    left -= 5;
    return inner;
  }

  const kept = part(json, [], from);
  return { kept, cut, bytes: most - left };
}

const pathSchema = z.array(z.union([z.string(), z.number()])).max(1_000);

/** What a client asks for of a long answer: the items of its list from a number on, or a part that was cut, from a place on. */
export const partQuery = z.object({
  from: z.coerce.number().int().min(0).optional(),
  part: z
    .string()
    .transform((text): unknown => attempted(() => JSON.parse(text)))
    .pipe(pathSchema)
    .optional(),
});

/** An answer with a list that may be long. */
interface LongAnswer extends Pick<Bounds, "mostCharacters"> {
  readonly head: object;
  readonly name: string;
  readonly items: readonly object[];
}

/**
 * Answers with as many items of a list as fit, from one of them on: at least one. `next` is the number of the first that is left, or
 * null. Or with a part of the answer that was cut.
 *
 * @throws RequestError 404 if the answer has no such part
 */
export function longAnswer(
  context: Context,
  { head, name, items, mostCharacters }: LongAnswer,
  { part, from = 0 }: z.output<typeof partQuery>,
): Response {
  // The link to a part is the same on each page.
  const { from: _, ...query } = context.req.query();
  const linkTo: LinkTo = (path, from) =>
    `?${new URLSearchParams({ ...query, part: JSON.stringify(path), from: String(from) })}`;
  if (part !== undefined) return answer(context, partOf({ ...head, [name]: items }, part, from, linkTo));
  const page = new Page<object>(Number.POSITIVE_INFINITY, mostBytes.answer);
  for (let n = from; n < items.length; n += 1) {
    const { json, bytes } = bounded(items[n] ?? {}, {
      mostCharacters,
      linkTo: (path, from) => linkTo([name, n, ...path], from),
    });
    if (!page.add(json, bytes)) break;
  }
  const next = page.isCut ? from + page.items.length : null;
  return answer(context, { ...bounded(head, { linkTo }).json, [name]: page.items, count: items.length, next });
}

function partOf(whole: object, path: Path, from: number, linkTo: LinkTo): object {
  const found = path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    JSON.parse(wireJson(whole)),
  );
  if (found === undefined) throw new RequestError(404, "This answer has no such part.");
  const inner: LinkTo = (below, from) => linkTo([...path, ...below], from);
  const { kept, cut } = cutOff(found, { mostCharacters: MOST_OF_ONE_TEXT, linkTo: inner }, from);
  return { part: kept, ...(cut.length > 0 && { cut }) };
}
