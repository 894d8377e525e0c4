import { RemoveMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { ThreadError } from "../../../src/base/errors.js";
import { isTrigger } from "../../../src/langgraph/pending-nodes.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { CheckpointDifference } from "../../../src/threads/lookup/difference.js";
import type { Threads } from "../../../src/threads/open.js";
import { edit } from "../../../src/turns/go-back.js";
import { coded } from "../../helpers/coded.js";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { allOf, at, openKind } from "../open-kind.js";

type Values = Record<string, unknown>;

/** Makes the change of a list in a list. */
function spliced(
  list: unknown,
  { at, removed, added }: { at: number; removed: readonly unknown[]; added: readonly unknown[] },
) {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  expect(items.slice(at, at + removed.length)).toEqual(removed);
  return [...items.slice(0, at), ...added, ...items.slice(at + removed.length)];
}

/** Makes the changes of a checkpoint in the values of the checkpoint before it. */
function changed(values: Values, { changes }: CheckpointDifference): Values {
  const now = { ...values };
  for (const change of changes) {
    const { channel } = change;
    const value = values[channel];
    if ("at" in change) {
      const { field, length } = change;
      const list = spliced(field === undefined ? value : Reflect.get(Object(value), field), change);
      expect(list).toHaveLength(length ?? 0);
      if (length === undefined) delete now[channel];
      else now[channel] = field === undefined ? list : { ...Object(now[channel]), [field]: list };
    } else if (!("after" in change)) delete now[channel];
    else if (typeof change.before === "object" && change.before !== null && !Array.isArray(change.before)) {
      const left = Object.entries(Object(value)).filter(([name]) => !(name in Object(change.before)));
      now[channel] = left.length > 0 ? { ...Object.fromEntries(left), ...Object(change.after) } : change.after;
    } else now[channel] = change.after;
  }
  return now;
}

/** Expects that the difference of each checkpoint, made in the values of its parent, gives its values. Returns how many there are. */
async function expectAll(threads: Threads, thread: string): Promise<number> {
  const tuples = await allOf(threads.checkpointer.list(at(thread)));
  const valuesOf = (id: unknown) =>
    Object.fromEntries(
      Object.entries(tuples.find(({ checkpoint }) => checkpoint.id === id)?.checkpoint.channel_values ?? {}).filter(
        ([channel]) => !isTrigger(channel),
      ),
    );
  for (const { checkpoint, config, parentConfig } of tuples) {
    const difference = await threads.difference(thread, checkpoint.id);
    const parent = parentConfig?.configurable?.checkpoint_id;
    expect(difference).toMatchObject({ parent, namespace: config.configurable?.checkpoint_ns, at: checkpoint.ts });
    const text = (values: Values) => JSON.parse(JSON.stringify(values));
    expect(text(changed(valuesOf(parent), difference))).toEqual(text(valuesOf(checkpoint.id)));
  }
  return tuples.length;
}

const steps: readonly Values[] = [
  { list: [], object: { name: "a" }, text: "a", kept: 1 },
  { list: ["a"], object: { name: "a", items: [1, 2, 3, 4, 5, 6, 7] }, text: "b", kept: 1 },
  { list: ["a", { b: 1 }], object: { name: "a", items: [1, 2, 3, 4, 5, 6, 7, 8] }, text: null },
  { list: ["a", { b: 2 }, "c"], object: { name: "a", items: [1, 2, 3, 4, 5, 6, 7, 8, "9"] } },
  { list: ["c"], object: { name: "b", items: [0, 1, 2, 3, 4, 5, 6, 7, 8, "9"], others: [1, 2, 3, 4, 5, 6, 7, 8] } },
  { list: ["c"], object: { name: "c", items: [0, 8, "9", 1, 1, 1, 1, 1, 1], others: [1, 2, 3, 4, 5, 6, 7, "8"] } },
  { list: "no list", object: ["x".repeat(5000)], text: "x".repeat(5000) },
  { list: ["x".repeat(5000), "y"], object: null, bytes: new Uint8Array([1, 2]) },
  { object: { items: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } },
  {},
  ...Array.from({ length: 160 }, (_, n) => ({ list: Array.from({ length: n }, (_, m) => `${m} of a list`) })),
];

describe.each(matrix(databases, sqlite))("differences in $name", (kind) => {
  test("made in the values before give the values after, whatever form these are stored in", async () => {
    const { threads } = await openKind(kind);
    const { checkpointer } = threads;
    let config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    for (const [n, channel_values] of steps.entries()) {
      const names = Object.keys({ ...steps[n - 1], ...channel_values });
      const versions = Object.fromEntries(names.map((name) => [name, n + 1.5]));
      const checkpoint = { ...emptyCheckpoint(), id: `${n}`, channel_values, channel_versions: versions };
      const metadata = { source: "loop", step: n, parents: {} } as const;
      await checkpointer.put(config, checkpoint, metadata, versions);
      config = { configurable: { ...at("t", `${n}`).configurable, checkpoint_ns: "" } };
    }
    expect(await expectAll(threads, "t")).toBe(steps.length);
    const last = await threads.difference("t", `${steps.length - 1}`);
    const added = ["158 of a list"];
    expect(last.changes).toEqual([{ channel: "list", at: 158, removed: [], added, length: 159 }]);
  });

  test("are of agents and of agents in their tools, and what was pruned has none", async () => {
    const { threads } = await openKind(kind);
    const inner = createAgent({ model: scriptedModel(["Inner."]), protocol: "tool-calling", rephrase: false });
    const delegate = tool(async () => (await inner.invoke({ messages: "Help" })).answer ?? "", {
      name: "delegate",
      description: "Asks another agent",
      schema: z.object({}),
    });
    const calls = [{ id: "c", name: "delegate", args: {} }];
    const replies = [{ content: "", tool_calls: calls }, ...Array.from({ length: 11 }, (_, n) => `Answer ${n}.`)];
    const model = scriptedModel(replies);
    const { checkpointer } = threads;
    const agent = createAgent({ model, tools: [delegate], protocol: "tool-calling", rephrase: false, checkpointer });
    for (let n = 0; n < 10; n += 1) await agent.invoke({ messages: `Question ${n}` }, at("t"));
    await edit(agent, "t", "Another question");
    const { messages } = (await agent.getState(at("t"))).values;
    await agent.updateState(at("t"), { messages: [new RemoveMessage({ id: messages[2]?.id ?? "" })] });
    const { turns, branches } = await threads.turns("t");
    expect(branches).toHaveLength(1);
    expect(await expectAll(threads, "t")).toBeGreaterThan(50);
    const [first, second] = turns;
    const { changes } = await threads.difference("t", first?.end ?? "");
    const after = "Answer 0.";
    expect(changes).toContainEqual({ channel: "answer", before: null, after });
    expect(changes).toContainEqual(expect.objectContaining({ channel: "messages", at: 3, removed: [], length: 4 }));
    await threads.prune({ keepTurns: 2 });
    await expectAll(threads, "t");
    for (const id of [first?.end ?? "", second?.begin ?? "", "x"])
      await expect(threads.difference("t", id)).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    await expect(threads.difference("u", "x")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
  });
});
