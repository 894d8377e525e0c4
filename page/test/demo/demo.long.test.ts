import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type Demo, startDemo } from "./demo.js";
import { demoClient, type Kind, makeThreads } from "./threads.js";

const listed = z.object({ threads: z.array(z.looseObject({ id: z.string() })) });

let demo: Demo;
let threads: Record<Kind, string>;
beforeAll(async () => {
  demo = await startDemo({ pace: 1 });
  threads = await makeThreads(demo.url);
}, 600_000);
afterAll(() => demo?.[Symbol.asyncDispose]());

test("the demo has threads of each kind, also after it was killed", async () => {
  await demo.kill();
  await expect(fetch(demo.url)).rejects.toThrow();
  await demo.restart();
  const { threads: list } = listed.parse(await demoClient(demo.url).request("glassloop/threads?limit=100"));
  const found = Object.entries(threads).map(([name, id]) => [name, list.find((thread) => thread.id === id)]);
  expect(Object.fromEntries(found)).toMatchObject({
    answered: { status: "idle", stopReason: "answered" },
    limit: { status: "idle", stopReason: "tool-call-limit", turns: 2 },
    story: { status: "idle", stopReason: "answered" },
    cut: { status: "idle", stopReason: "length" },
    failedModel: { status: "failed" },
    refunded: { status: "idle", stopReason: "answered" },
    retrieval: { status: "idle", stopReason: "answered", turns: 2 },
    notFound: { status: "idle", stopReason: "not-found" },
    asked: { status: "waiting", waiting: [{ requests: [{ tool: "ask_human" }] }] },
    copied: { status: "waiting", waiting: [{ requests: [{ tool: "refund" }] }] },
    waiting: { status: "waiting", waiting: [{ requests: [{ tool: "refund" }, { tool: "send_mail" }] }] },
  } satisfies Record<Kind, object>);
});
