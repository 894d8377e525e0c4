import { describe, expect, it } from "vitest";
import type { Way } from "../../helpers/lines.js";
import { databaseKinds } from "../../threads/each-database.js";
import { questionRows } from "./questions.js";
import { replyRows } from "./replies.js";
import { resultRows } from "./results.js";
import { heldAfterResume, heldByPrebuilt, type Talk } from "./talk.js";

const postgres = databaseKinds.filter(({ name }) => name === "Postgres");
const call = { id: "call_1", name: "look", args: '{"q":"x"}' };
const line: Way = { way: "streamed", replies: [{ calls: [call] }, { content: "It is 5." }, { content: "Cinq." }] };

/** The conversations of the tables, each with a question, a call and a result. */
const talks: readonly (readonly [string, Talk])[] = [
  ...replyRows.map((row) => [`a reply with ${row.name}`, { line: row.line }] as const),
  ...resultRows.map((row) => [`a result with ${row.name}`, { line, tools: [row.tool()] }] as const),
  ...questionRows.map((row) => [`a question with ${row.name}`, { line, questions: [row.question, "And?"] }] as const),
];

describe.each(postgres)("what passes through, when its turn goes on from $name", (kind) => {
  it.each(talks)("is whole: %s", async (_name, talk) => {
    const { sent } = await heldByPrebuilt(talk);
    const [, goneOn, next] = await heldAfterResume(talk, kind);
    expect([goneOn, next]).toEqual([sent[0]?.slice(1), sent[1]]);
  });
});
