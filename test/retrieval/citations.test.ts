import { AIMessageChunk } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { streamTurn } from "../../src/index.js";
import { allOf } from "../helpers/turn-events.js";
import { type RetrievalServer, retrievalOver, retrieverOf } from "./retrieval-server.js";

let made: RetrievalServer | undefined;
afterEach(() => made?.server.close());

const wrong = 'Ann said "we began with two tables" [2] in 1999 [1][5]. It grew.';
const right = 'Ann said "we began with two tables" [2] (not in source 2, but in source 1) in 1999 [1]. It grew.';

describe("the citations of an answer from passages", () => {
  it.each([false, true])("are checked before a piece of it goes out (with checked answers: %s)", async (check) => {
    const { retriever } = retrieverOf(() => ["In 1999 we began with two tables.", "Ann left in 2004."]);
    made = await retrievalOver({ answer: wrong, check: "YES" }, { retriever, check });
    const events = await allOf(streamTurn(made.agent, { messages: "How did it begin?" }));
    const pieces = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
    expect(pieces.join("")).toBe(right);
    expect(events.filter(({ type }) => type === "citation")).toMatchObject([
      { problem: "misquoted", numbers: [2], foundIn: 1 },
      { problem: "no-source", numbers: [5] },
    ]);

    const stream = await made.agent.stream({ messages: "How did it begin?" }, { streamMode: "messages" });
    let text = "";
    for await (const [message] of stream) text += AIMessageChunk.isInstance(message) || check ? message.text : "";
    expect(text).toBe(right);
  });
});
