import { expect, test } from "vitest";
import { z } from "zod";
import { askedThread, makeThread, question, type Send, served } from "./access/served.js";
import { agent, steps } from "./engine/open-engine.js";

test.each<[string, object, sentence: string]>([
  ["a message of an unknown type", { values: { messages: [{ type: "nobody", content: "Hi" }] } }, "coerce message"],
  ["messages that are none", { values: { messages: 5 } }, "coerce message"],
  ["a message to remove that is not there", { values: { messages: [{ type: "remove", id: "m9" }] } }, "doesn't exist"],
  ["a value of another form", { values: { question: 5 } }, 'field "question"'],
  ["a node that the graph has not", { values: {}, as_node: "nobody" }, '"nobody"'],
])("an update with %s is refused, and changes nothing", async (_, body, sentence) => {
  const { send } = await served();
  const thread = await askedThread(send);
  const states = async () => (await send("POST", `/threads/${thread}/history`, { body: {} })).text();
  const before = await states();
  const refused = await send("POST", `/threads/${thread}/state`, { body });
  expect([refused.status, await refused.json()]).toEqual([
    422,
    { error: "unprocessable", message: expect.stringContaining(sentence) },
  ]);
  expect(await states()).toBe(before);
});

const statesSchema = z.array(
  z.looseObject({ checkpoint: z.object({ checkpoint_id: z.string() }), values: z.unknown() }),
);

/** Reads a page of the history of a thread: its bytes, its states, and where the next one begins. */
async function historyOf(send: Send, thread: string, body: object) {
  const response = await send("POST", `/threads/${thread}/history`, { body });
  const text = await response.text();
  const states = statesSchema.parse(JSON.parse(text));
  const ids = states.map(({ checkpoint }) => checkpoint.checkpoint_id);
  return { bytes: Buffer.byteLength(text), states, ids, next: response.headers.get("X-Pagination-Next") };
}

test("a long history comes in pages, of which none is too large, and without values in a twentieth of their bytes", async () => {
  const { send } = await served({ agents: { steps: steps() } });
  const turn = (n: number) => [
    { type: "human", content: `${n}. ${"What is it? ".repeat(2)}` },
    { type: "ai", content: `${n}. ${"It is that. ".repeat(2)}` },
  ];
  const supersteps = Array.from({ length: 200 }, (_, n) => {
    return { updates: [{ values: { messages: turn(n), count: 3 }, as_node: "step" }] };
  });
  const made = await send("POST", "/threads", { body: { supersteps, metadata: { graph_id: "steps" } } });
  const { thread_id: thread } = z.object({ thread_id: z.string() }).parse(await made.json());

  const whole = await historyOf(send, thread, { limit: 100, max_bytes: 100_000_000 });
  const bare = await historyOf(send, thread, { limit: 100, select: [] });
  expect([whole.ids.length, bare.ids]).toEqual([100, whole.ids]);
  expect(whole.bytes / bare.bytes).toBeGreaterThan(20);

  const max_bytes = 1_000_000;
  const pages = [await historyOf(send, thread, { limit: 100, max_bytes })];
  for (let next = pages[0]?.next; next && pages.length < 10; next = pages.at(-1)?.next) {
    const limit = 100 - pages.flatMap(({ ids }) => ids).length;
    if (limit > 0) pages.push(await historyOf(send, thread, { limit, before: next, max_bytes }));
    else break;
  }
  expect(pages.map(({ bytes }) => bytes > max_bytes)).toEqual(pages.map(() => false));
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.flatMap(({ ids }) => ids)).toEqual(whole.ids);

  const one = await send("GET", `/threads/${thread}/history?select=count,none&max_bytes=1`);
  expect(one.headers.get("X-Pagination-Next")).toBe(whole.ids[0]);
  expect(await one.json()).toMatchObject([{ values: { count: 3 }, next: [] }]);
  expect((await historyOf(send, thread, { limit: 1000, select: [] })).next).toBeNull();
});

test("prompts come in pages, and all of them only if they are not too large", async () => {
  const answer = " I know\nFinal Answer: It is 4.";
  const agents = { agent: agent(" I calculate\nAction: calculator\nAction Input: 2 + 2", answer, answer, answer) };
  const { send } = await served({ agents });
  const thread = await makeThread(send);
  const ask = async (content: string) => {
    const body = { ...question, input: { messages: [{ role: "user", content }] } };
    await (await send("POST", `/threads/${thread}/runs/wait`, { body })).text();
  };
  const read = async (query: string) => {
    const response = await send("GET", `/glassloop/threads/${thread}/prompts${query}`);
    const body: unknown = await response.json();
    const next = response.headers.get("X-Pagination-Next");
    return { status: response.status, body, next, prompts: z.array(z.unknown()).catch([]).parse(body) };
  };
  await ask("What is 2 + 2?");
  const all = await read("");
  const newest = await read("?limit=1");
  const before = await read(`?limit=1&checkpoint=${newest.next}`);
  expect([...before.prompts, ...newest.prompts]).toEqual(all.prompts);
  expect([all.prompts.length, all.next, before.next]).toEqual([2, null, null]);
  await ask("x".repeat(2_500_000));
  expect((await read("")).status).toBe(200);
  await ask("And now?");
  expect(await read("")).toMatchObject({ status: 413, body: { message: expect.stringContaining("?limit=10") } });
  expect((await read("?limit=1")).prompts).toHaveLength(1);
});
