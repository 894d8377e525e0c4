import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import {
  createMiddleware,
  dynamicSystemPromptMiddleware,
  modelRetryMiddleware,
  piiMiddleware,
  piiRedactionMiddleware,
} from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Middleware, promptOf } from "../../src/index.js";
import { piecesOf } from "../helpers/turn-events.js";
import { eventsOver, retrievalOver, retrieverOf, turnOver } from "./scripted-retrieval.js";

const thread = { configurable: { thread_id: "t" } };
const passages = ["Ann won."];
const answer = "Ann won [1].";
const isWrong = '{"right": false, "why": "no year"}';

it.each([
  ["the answer", {}, ["model"]],
  ["the answer of notes", { combine: "map-reduce" }, ["model"]],
  ["the best of several answers, for which no model is asked", { combine: "map-rerank" }, []],
  ["each answer that is checked", { check: true }, ["model", "beforeModel 1", "model"]],
  ["the sentence that nothing was found", { retriever: retrieverOf(() => []).retriever }, []],
] as const)("middleware is called around a turn and %s, and around no quiet call", async (_, options, expected) => {
  const seen: string[] = [];
  const at = (place: string) => (state: { messages: BaseMessage[] }) => {
    seen.push(`${place} ${state.messages.length}`);
  };
  const watch: Middleware = {
    name: "watch",
    beforeAgent: at("beforeAgent"),
    beforeModel: at("beforeModel"),
    wrapModelCall: async (request, handler) => {
      seen.push("model");
      return handler(request);
    },
    afterModel: at("afterModel"),
    afterAgent: at("afterAgent"),
  };
  const quiet = { translation: "Who came first?", note: "Ann won.", scored: `${answer}\nScore: 80`, notFound: "-" };
  const replies = { ...quiet, answer, check: [isWrong, "YES"] };
  const { state } = await turnOver(passages, replies, { ...options, translate: "multi-query", middleware: [watch] });
  expect(seen).toEqual(["beforeAgent 1", "beforeModel 1", ...expected, "afterModel 2", "afterAgent 2"]);
  expect(state.answer).not.toBe("");
});

it.each([
  ["the state", piiMiddleware("email", { applyToOutput: true })],
  ["each prompt", piiRedactionMiddleware({ rules: { email: /\S+@x\.org/ } })],
])("an address that a middleware takes out is not in %s, nor in the prompts of later turns", async (where, redact) => {
  const { retriever, queries } = retrieverOf(() => passages);
  const options = { retriever, rephrase: false, middleware: [redact], checkpointer: new MemorySaver() };
  const { agent, prompts } = retrievalOver({ answer: "Ask ann@x.org [1]." }, options);
  for (const messages of ["Who is ann@x.org?", "And where?"]) await agent.invoke({ messages }, thread);
  const { values } = await agent.getState(thread);
  expect(prompts).toHaveLength(2);
  expect(JSON.stringify(prompts)).not.toContain("ann@x.org");
  expect(JSON.stringify([queries, values]).includes("ann@x.org")).toBe(where !== "the state");
});

it("middleware of LangChain adds instructions, and asks again after a failure", async () => {
  const middleware = [
    dynamicSystemPromptMiddleware(() => "Answer the question from Kobe."),
    modelRetryMiddleware({ initialDelayMs: 1 }),
  ];
  const { retriever } = retrieverOf(() => passages);
  const options = { retriever, middleware, checkpointer: new MemorySaver() };
  const { agent, prompts } = retrievalOver({ answer: [new Error("busy"), answer] }, options);
  expect(await agent.invoke({ messages: "Who won?" }, thread)).toMatchObject({ answer, stopReason: "answered" });
  expect(prompts).toHaveLength(2);
  const prompt = await promptOf(agent, "t");
  expect(prompt).toMatchObject({ exact: true });
  expect(prompt?.messages[0]?.text).toMatch(/^Answer the question from Kobe\./);
});

const endsAfter = (times: number) => ({
  hook: () => (times-- > 0 ? undefined : { jumpTo: "end" }),
  canJumpTo: ["end"],
});
it.each<[string, Middleware, object, number]>([
  ["before its search", { name: "m", beforeAgent: endsAfter(0) }, {}, 0],
  ["before a retriever is chosen", { name: "m", beforeModel: endsAfter(0) }, { route: true }, 0],
  ["after an answer that was refused", { name: "m", beforeModel: endsAfter(1) }, { check: true }, 1],
])("a hook ends a turn %s", async (_, middleware, options, searches) => {
  const replies = { answer, check: isWrong };
  const { state, queries } = await turnOver(passages, replies, { ...options, middleware: [middleware] });
  expect(state).toMatchObject({ stopReason: "stop-condition", decision: { kind: "finish" } });
  expect(queries).toHaveLength(searches);
});

it("a hook asks a person, keeps a channel, and changes the answer before any of it is sent", async () => {
  const asks = createMiddleware({
    name: "asks",
    stateSchema: z.object({ asked: z.number().default(0) }),
    beforeAgent: ({ asked }) => ({ asked: asked + 1 }),
    afterModel: ({ messages }) => ({
      messages: [new AIMessage({ id: messages.at(-1)?.id, content: `${interrupt("Right?")} [1].` })],
    }),
  });
  const { retriever } = retrieverOf(() => passages);
  const middleware = [asks];
  const { agent } = retrievalOver({ answer }, { retriever, middleware, checkpointer: new MemorySaver() });
  await agent.invoke({ messages: "Who won?" }, thread);
  const state = await agent.invoke(new Command({ resume: "Bob won" }), thread);
  expect(state).toMatchObject({ answer: "Bob won [1].", asked: 1, citations: [{ number: 1 }] });
  const loud: Middleware = {
    name: "loud",
    afterAgent: ({ messages }) => ({ messages: [new AIMessage({ id: messages.at(-1)?.id, content: "Ann! [1]" })] }),
  };
  const { events } = await eventsOver(passages, { answer }, { middleware: [loud] });
  expect(piecesOf(events)).toBe("Ann! [1]");
});

it.each<[string, Middleware]>([
  ["afterModel", { name: "m", afterModel: ({ messages }) => ({ messages: [calling(messages.at(-1)?.id)] }) }],
  ["wrapModelCall", { name: "m", wrapModelCall: () => calling("1") }],
])("a call of a tool that %s makes is refused in a sentence", async (_, middleware) => {
  const turn = turnOver(passages, { answer }, { middleware: [middleware] });
  await expect(turn).rejects.toThrow("middleware: one called a tool, and a retrieval agent has none");
});
const calling = (id = "") => new AIMessage({ id, content: "", tool_calls: [{ name: "look", args: {}, id: "1" }] });
