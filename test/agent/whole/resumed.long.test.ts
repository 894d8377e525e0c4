import { expect, it } from "vitest";
import { postgres, sqlite } from "../../matrix/databases.js";
import { isFull } from "../../matrix/matrix.js";
import { questionRows } from "./questions.js";
import { replyRows } from "./replies.js";
import { resultRows } from "./results.js";
import { heldAfterResume, heldByPrebuilt, inTexts, type Talk } from "./talk.js";
import { looking as line } from "./ways.js";

/** The conversations of the tables, each with a question, a call and a result. */
const talks: readonly (readonly [string, Talk])[] = [
  ...replyRows.map((row) => [`a reply with ${row.name}`, { line: row.line }] as const),
  ...resultRows.map((row) => [`a result with ${row.name}`, { line, tools: [row.tool()] }] as const),
  ...questionRows.map((row) => [`a question with ${row.name}`, { line, questions: [row.question, "And?"] }] as const),
];

/** Every third conversation, or all of them in `npm run bench:matrices`. They go on from the databases in turn. */
const tried = talks.filter((_, n) => isFull || n % 3 === 0);
const resumed = tried.map(([name, talk], n) => ({ name, talk, kind: n % 2 === 0 ? sqlite : postgres }));

it.each(resumed)("a turn that goes on from $kind.name sends whole $name", async ({ talk, kind }) => {
  const { sent } = await heldByPrebuilt(talk);
  const [first, second] = sent.map((turn) => turn.map(inTexts));
  const [, goneOn, next] = await heldAfterResume(talk, kind);
  expect([goneOn, next]).toEqual([first?.slice(1), second]);
});
