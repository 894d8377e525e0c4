import { z } from "zod";
import { jsonPieces } from "../../protocols/reading/json-pieces.js";
import { spoken } from "./prompt-parts.js";

/** Reads the last piece of JSON in a reply that has a form. Undefined if there is none. */
export function jsonIn<Form>(reply: string, form: z.ZodType<Form>): Form | undefined {
  const read = [...jsonPieces(spoken(reply))].map(({ value }) => form.safeParse(value));
  return read.findLast(({ success }) => success)?.data;
}

/** The words for yes and no. Models are asked for JSON, so these are for the replies in words that come all the same. */
const yes = "yes|y|true|pass|passed|correct|ja|oui|s[iìí]|sim|tak|да|верно|evet|是|是的|对|正确|はい|예|네|نعم|हाँ";
const no =
  "no|n|false|fail|failed|incorrect|wrong|nein|non|não|nee|nie|нет|неверно|hayır|否|不|不是|不对|不正确|错误|いいえ|아니요|아니오|لا|नहीं";
const letter = String.raw`[\p{L}\p{M}\p{N}_'’]`;

/** A word that stands alone: between signs, or at an end of a line. It is no key of JSON. */
const alone = String.raw`(?<!${letter}[ \t]*)(?:(${yes})|${no})(?![ \t]*${letter}|"\s*:)`;

/** A yes or no to a fault: `"hallucinated": false` agrees. */
const aboutFault = new RegExp(
  String.raw`(?:hallucinat|unsupported|unfaithful|ungrounded|contradict|fabricat|invent|error|mistake|issue)\p{L}{0,9}\W{0,5}[:=]\W{0,5}(?:${yes}|${no})(?![ \t]*${letter})`,
  "iu",
);

/**
 * Reads whether a reply in words agrees. A last line such as "So: no" decides. Otherwise all words that stand alone must say the
 * same: "No: it is …" disagrees, and "No problems" tells nothing. Undefined if the reply does not decide.
 */
export function readYesNo(reply: string): boolean | undefined {
  const said = spoken(reply);
  const last = said.split("\n").findLast((line) => line.trim() !== "") ?? "";
  const isShort = (last.match(/\p{L}+/gu) ?? []).length <= 3;
  for (const part of isShort ? [last, said] : [said]) {
    const words = new Set([...part.matchAll(new RegExp(alone, "giu"))].map(([, agrees]) => agrees !== undefined));
    const [word] = words;
    if (word !== undefined && words.size === 1) return word !== aboutFault.test(said);
  }
  return undefined;
}

const none =
  /^(?![^.;\n]*(?<!\p{L})(?:except|but|only|außer|nur|sauf|excepto|кроме)(?!\p{L}))\P{L}*(?:\[\s*\]|(?:no|none|nothing|keine?r?|aucune?|ningun[oa]|nenhuma?|nessun[oa]?|geen|нет|ни|无|没有|なし|없음)(?![\p{L}\p{M}\p{N}]))/iu;
/** Numbers in a list, after a colon or one word, and with one word behind at most: "Only 1 and 3 help." A range is no list. */
const list =
  /^\P{L}*?(?:[^\d\n]*:[^\p{L}\d]*|\p{L}+[^\p{L}\d]*)?(\d+(?:(?:[\s,;&+、，()[\]]|\n\s*[-*•]|and|und|et|y|e|и|和|と)+\d+)*)(?=[\s)\]*]*(?:\p{L}+[\s*]*)?(?:[.:;,(–—\n-]|$))/iu;
/** What may turn the meaning of a list of numbers. */
const denial =
  /(?<!\p{L})(?:not|no|non?e?|unhelp\p{L}*|unrel\p{L}*|irrel\p{L}*|drop|nicht|kein\p{L}*|nein|pas|niet|geen|ne|не|нет)(?!\p{L})|n['’]t|[不没無否]|ない|ません|[않없]/iu;
const numbersForm = z.array(z.union([z.number(), z.string().regex(/^\d+$/)]));
const listsForm = z
  .record(z.string(), z.unknown())
  .transform((fields) => Object.entries(fields).filter(([name]) => !denial.test(name.replaceAll("_", " "))))
  .transform((fields) => fields.find(([, field]) => numbersForm.safeParse(field).success)?.[1])
  .pipe(numbersForm);

/**
 * Reads which numbers a reply names, of those that are possible: in JSON, or in words that have nothing but one list, and no
 * "not". Undefined if the reply does not decide.
 */
export function readNumbers(reply: string, possible: readonly number[]): number[] | undefined {
  const said = spoken(reply);
  const given = jsonIn(reply, listsForm);
  if (given?.length === 0 || (given === undefined && none.test(said))) return [];
  if (given === undefined && denial.test(said)) return undefined;
  const [whole = "", numbers = ""] = given ? ["", given.join()] : (list.exec(said) ?? []);
  const among = (text: string) => possible.filter((one) => (text.match(/\d+/g) ?? []).map(Number).includes(one));
  const isMore = given === undefined && among(said.slice(whole.length)).length > 0;
  return isMore || among(numbers).length === 0 ? undefined : among(numbers);
}

const queryForm = z
  .union([z.object({ query: z.string() }), z.object({ queries: z.array(z.string()) })])
  .transform((given) => ("query" in given ? [given.query] : given.queries));

/** Reads the queries in a reply: in JSON, or one in each line. */
export function readQueryLines(reply: string): string[] {
  const list = /\[\s*"/.test(reply) ? jsonIn(reply, z.array(z.string())) : undefined;
  const queries = jsonIn(reply, queryForm) ?? list ?? spokenLines(reply);
  return queries.map((query) => query.trim()).filter((query) => query !== "");
}

/** Known labels only: "Job search: …" may be the query itself. */
const queryLabel =
  /^\**(?:(?:new|next|final|better|improved|refined|rewritten|other|general|sub|neue|bessere|nouvelle|nueva|новый|search)[ -]?){0,2}(?:search|query|question|(?:such)?anfrage|(?:teil|unter)?frage|requête|consulta|запрос|\p{sc=Han}{0,6}(?:查询|检索词)|クエリ)\**\s*[:：][\s*]*/iu;

/** Reads the lines of a reply, or of the block of code in it: without what introduces them, numbers, bullets and quotes. */
function spokenLines(reply: string): string[] {
  const said = spoken(reply);
  const [, inBlock = said] = /^\s*```.*\n([\s\S]*?)(?:\n\s*```|$)/m.exec(said) ?? [];
  const lines = inBlock.split("\n").map((line) => line.replace(/^\s*(?:[-*•]|\d{1,3}[.):])\s+/, "").trim());
  const queries = lines.filter((line) => !/[:：]\**$/.test(line));
  return queries
    .map((line) => line.replace(queryLabel, ""))
    .map((line) => line.replace(/^["'`*“„«]+([^"`“”„«»]+?)["'`*”“»]+$/, "$1"));
}
