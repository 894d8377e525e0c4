import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, ThreadsDatabaseError } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { type CuttingProxy, type Fate, openCuttingProxy } from "../../helpers/cutting-proxy.js";
import { sharedPostgres } from "../../helpers/postgres.js";
import { allOf, at } from "../open-kind.js";
import { stepsGraph } from "../steps-graph.js";

const server = sharedPostgres();
let schema: Awaited<ReturnType<typeof server.createSchema>>;
let proxy: CuttingProxy;
let threads: Threads;
beforeAll(async () => {
  schema = await server.createSchema();
  proxy = await openCuttingProxy(schema.url);
  threads = await openThreads(proxy.url);
});
afterAll(async () => {
  await threads.close();
  await proxy.close();
  await schema.remove();
});

const broken: readonly Fate[] = ["lost", "unanswered", { code: "57P01" }];
const full: Fate = { code: "53100" };
/** An error of the server that has no words of its own here. */
const strange: Fate = { code: "XX000" };

/** The thread of one try. Each has its own. */
let tries = 0;

/**
 * Does something again and again. In the first try its first message to the server meets the fate, then its second one, and
 * so on, until a try has no message left for it.
 *
 * @param action Does it on a new thread. `arm` is called before the part that is tried.
 * @returns The number of tries.
 */
async function atEachMessage(fate: Fate, action: (id: string, arm: () => void) => Promise<void>): Promise<number> {
  for (let chosen = 1; ; chosen += 1) {
    let sent = 0;
    tries += 1;
    await action(`t${tries}`, () => {
      proxy.decide = () => {
        sent += 1;
        return sent === chosen ? fate : "passes";
      };
    }).finally(disarm);
    if (sent < chosen) return chosen - 1;
  }
}

function disarm(): void {
  proxy.decide = () => "passes";
}

/** The agent, whose model fails while `isDown`, and whose tool may ask a person. */
function payingAgent({ asks = false } = {}) {
  const did = { paid: 0, isDown: false };
  const pay = tool(
    async () => {
      if (asks) interrupt("Pay?");
      did.paid += 1;
      return "paid";
    },
    { name: "pay", description: "Pays.", schema: z.object({}), metadata: { effects: true } },
  );
  const reply = (messages: readonly BaseMessage[]) => {
    if (did.isDown) return new Error("The model is down.");
    return messages.at(-1)?.getType() === "human" ? { tool_calls: [{ id: "call", name: "pay", args: {} }] } : "Done.";
  };
  const model = scriptedModel(Array.from({ length: 9 }, () => reply));
  const { checkpointer } = threads;
  return { did, agent: createAgent({ model, tools: [pay], protocol: "tool-calling", rephrase: false, checkpointer }) };
}

const said = (messages: readonly BaseMessage[]) => messages.map((message) => `${message.getType()}: ${message.text}`);
const whole = ["human: Pay", "ai: ", "tool: paid", "ai: Done."];
const question = { messages: "Pay" };

/** Runs an agent. After a failure it does what the error says. Returns the messages, and whether it failed. */
async function runToEnd(
  { agent }: ReturnType<typeof payingAgent>,
  input: typeof question | Command<string, Record<string, unknown>, "act"> | null,
  at: Parameters<typeof agent.invoke>[1],
) {
  try {
    return { messages: said((await agent.invoke(input, at)).messages), error: undefined };
  } catch (error) {
    disarm();
    if (!(error instanceof ThreadsDatabaseError)) throw error;
    expect(error.message).toContain(error.canResume ? "agent.invoke(null, config)" : "Send that again");
    const { messages } = await agent.invoke(error.canResume ? null : input, at);
    return { messages: said(messages), error };
  }
}

describe("a run", () => {
  const inputs = ["a question", "an answer", "no input"] as const;

  /** Leaves a thread as the input needs it, and then runs it. */
  async function run(
    id: string,
    given: (typeof inputs)[number],
    durability: "sync" | "async" | "exit",
    arm: () => void,
  ) {
    const at = { configurable: { thread_id: id }, durability };
    const paying = payingAgent({ asks: given === "an answer" });
    paying.did.isDown = given === "no input";
    if (given !== "a question") await paying.agent.invoke(question, at).catch(() => undefined);
    paying.did.isDown = false;
    arm();
    const input = {
      "a question": question,
      "an answer": new Command<string, Record<string, unknown>, "act">({ resume: "yes" }),
      "no input": null,
    }[given];
    return { ...(await runToEnd(paying, input, at)), paid: paying.did.paid };
  }

  test.each(inputs)("with %s goes on after any broken connection", async (given) => {
    // The ways in which a connection breaks differ for the database, not for the inputs.
    for (const fate of given === "a question" ? broken : ["unanswered" as const]) {
      await atEachMessage(fate, async (id, arm) => {
        expect(await run(id, given, "sync", arm)).toEqual({ messages: whole, error: undefined, paid: 1 });
      });
    }
  });

  test.each(inputs)(
    "with %s in which any statement fails has an error that says how to resume, and resumes",
    async (given) => {
      for (const fate of given === "a question" ? [strange] : [full]) {
        const failures: ThreadsDatabaseError[] = [];
        const messages = await atEachMessage(fate, async (id, arm) => {
          const ran = await run(id, given, "sync", arm);
          // A payment that was not noted counts as unknown, and is not made again.
          const unknown = expect.stringContaining("It is not known whether");
          expect([whole, whole.with(2, unknown)]).toContainEqual(ran.messages);
          expect(ran.paid).toBe(1);
          if (ran.error) failures.push(ran.error);
        });
        // The last ones free the thread, after the answer.
        expect(failures.length).toBeGreaterThan(messages - 5);
        expect(new Set(failures.map(({ canResume }) => canResume))).toContain(true);
      }
    },
  );

  test.each(["async", "exit"] as const)("with durability %s has such an error, too", async (durability) => {
    await atEachMessage(full, async (id, arm) => {
      const { messages } = await run(id, "a question", durability, arm);
      expect([messages.length, messages[0], messages.at(-1)]).toEqual([4, "human: Pay", "ai: Done."]);
    });
  });
});

describe("a failure of the server is a ThreadsDatabaseError:", () => {
  const graph = () => stepsGraph(threads.checkpointer);

  /** Writes a short thread. Returns its newest checkpoint. */
  async function write(id: string): Promise<string> {
    await graph().updateState(at(id), { messages: [new HumanMessage("Pay")] }, "begin");
    return (await threads.history(id)).turns.at(-1)?.steps.at(-1)?.checkpoint ?? "";
  }

  const actions: readonly [string, (id: string, checkpoint: string) => Promise<unknown>][] = [
    ["getState", (id) => graph().getState(at(id))],
    ["updateState", (id) => graph().updateState(at(id), { count: 1 }, "begin")],
    ["list", () => threads.list({ limit: 2 })],
    ["get", (id) => threads.get(id)],
    ["search", () => threads.search("pay", { limit: 2 })],
    ["stats", (id) => threads.stats({ thread: id })],
    ["history", (id) => threads.history(id)],
    ["fork", (id, checkpoint) => threads.fork(id, checkpoint, `fork-of-${id}`)],
    ["prune", (id) => threads.prune({ thread: id, keepTurns: 0 })],
    ["export", (id) => allOf(threads.export(id))],
    ["delete", (id) => threads.delete(id)],
    ["openThreads", async () => (await openThreads(proxy.url)).close()],
  ];

  test.each(actions)("%s", async (_, action) => {
    let failed = 0;
    await atEachMessage(strange, async (id, arm) => {
      const checkpoint = await write(id);
      arm();
      await action(id, checkpoint).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ThreadsDatabaseError);
        failed += 1;
      });
    });
    expect(failed).toBeGreaterThan(0);
  });

  const writing = new Set(["updateState", "prune", "delete"]);
  test.each(actions.filter(([name]) => writing.has(name)))("%s, but not a broken connection", async (_, action) => {
    await atEachMessage("unanswered", async (id, arm) => {
      const checkpoint = await write(id);
      arm();
      await action(id, checkpoint);
    });
  });
});
