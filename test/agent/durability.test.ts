import { readFileSync } from "node:fs";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  approvalRequests,
  continueTurn,
  createAgent,
  decide,
  edit,
  openThreads,
  regenerate,
  replay,
} from "../../src/index.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { bareTool } from "../helpers/tools.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { at } from "../threads/open-kind.js";

const durabilities = ["sync", "async", "exit"] as const;
const call = (name: string) => ({ content: "", tool_calls: [{ id: name, name, args: {} }] });

/** Makes agents with effects, one for each script of a model, for one thread of one checkpointer. */
function agents(checkpointer: BaseCheckpointSaver, durability: (typeof durabilities)[number], thread: string) {
  let paid = 0;
  const pays = (name: string, approve: boolean) =>
    bareTool(
      name,
      () => {
        paid += 1;
        return name;
      },
      { metadata: { effects: true, approve } },
    );
  const tools = [pays("pay", false), pays("refund", true)];
  const common = { tools, protocol: "tool-calling", rephrase: false, checkpointer, durability } as const;
  const limits = { maxSteps: 1, earlyStopping: "force" } as const;
  return {
    agentWith: (...replies: (ScriptedReply | ScriptedReplyMaker)[]) =>
      createAgent({ ...common, model: scriptedModel(replies) }),
    limitedAgent: (...replies: ScriptedReply[]) => createAgent({ ...common, model: scriptedModel(replies), limits }),
    checkpointer,
    durability,
    thread,
    at: at(thread),
    paid: () => paid,
  };
}

type Agents = ReturnType<typeof agents>;

/** A failure after a paid call, and the answer of the run that goes on. */
async function goesOnAfterFailure({ agentWith, at }: Agents): Promise<string | null> {
  const agent = agentWith(call("pay"), new Error("away"), "Paid.");
  await expect(agent.invoke({ messages: "Pay." }, at)).rejects.toThrow("away");
  return (await agent.invoke(null, at)).answer;
}

async function goesOnAfterCancel({ agentWith, at }: Agents): Promise<string | null> {
  const cancelling = new AbortController();
  const cancelled = () => {
    cancelling.abort(new Error("enough"));
    return new Promise<string>(() => {});
  };
  const agent = agentWith(call("pay"), cancelled, "Paid.");
  const run = agent.invoke({ messages: "Pay." }, { ...at, signal: cancelling.signal });
  await expect(run).rejects.toThrow("enough");
  return (await agent.invoke(null, at)).answer;
}

/** The promises of the page that need no kill. Each is tried, and returns whether it was kept. */
const promises: Readonly<Record<string, (given: Agents) => Promise<boolean>>> = {
  "a failed run resumes after its last finished node": async (given) => (await goesOnAfterFailure(given)) === "Paid.",

  "a cancelled run resumes after its last finished node": async (given) => (await goesOnAfterCancel(given)) === "Paid.",

  "a call with effects is made at most once, through failures and stops": async (given) => {
    await goesOnAfterFailure(given);
    await goesOnAfterCancel(given);
    return given.paid() === 2;
  },

  "a turn that waits for a person resumes with the decision": async ({ agentWith, paid, at }) => {
    const agent = agentWith(call("pay"), call("refund"), "Refunded.");
    const [request] = approvalRequests(await agent.invoke({ messages: "Refund." }, at));
    expect(paid()).toBe(1);
    const { answer } = await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), at);
    return answer === "Refunded." && paid() === 2;
  },

  "`continueTurn` continues a turn after a limit": async ({ agentWith, limitedAgent, paid, at, thread }) => {
    const limited = limitedAgent(call("pay"), call("pay"));
    expect((await limited.invoke({ messages: "Pay." }, at)).stopReason).toBe("step-limit");
    expect(paid()).toBe(1);
    return (await continueTurn(agentWith("Paid."), thread)).answer === "Paid.";
  },

  "`regenerate` and `edit` go back to the last question": async ({ agentWith, at, thread }) => {
    const agent = agentWith("Hello.", call("pay"), "Paid.", "Again.", "Changed.");
    await agent.invoke({ messages: "Hi" }, at);
    await agent.invoke({ messages: "Pay." }, at);
    const first = await regenerate(agent, thread).catch(codeOf);
    const second = await edit(agent, thread, "Pay me.").catch(codeOf);
    if (first === "no-turn-to-repeat" && second === "no-turn-to-repeat") return false;
    expect([first, second]).toMatchObject([{ answer: "Again." }, { answer: "Changed." }]);
    return true;
  },

  "`replay` runs again from a checkpoint": async ({ agentWith, at, thread }) => {
    const agent = agentWith(call("pay"), "Paid.", "Paid again.");
    await agent.invoke({ messages: "Pay." }, at);
    const checkpoint = await checkpointOf(agent, at, (state) => state.next.includes("plan") && state.steps === 1);
    return checkpoint !== undefined && (await replay(agent, thread, checkpoint)).answer === "Paid again.";
  },

  "`replay` returns the end of an earlier run": async ({ agentWith, at, thread }) => {
    const agent = agentWith("Hello.", call("pay"), "Paid.");
    await agent.invoke({ messages: "Hi" }, at);
    await agent.invoke({ messages: "Pay." }, at);
    const checkpoint = await checkpointOf(agent, at, (state) => state.next.length === 0 && state.steps === 0);
    return checkpoint !== undefined && (await replay(agent, thread, checkpoint)).answer === "Hello.";
  },

  "others can read the question while its run is in progress": async ({ agentWith, at, durability }) => {
    const other = agentWith();
    const isRead = async () => (await other.getState(at)).values.messages?.length > 0;
    let seen = false;
    const look = async () => {
      // An asynchronous write may take a moment.
      if (durability === "async") await expect.poll(isRead).toBe(true);
      seen = await isRead();
      return "Paid.";
    };
    await agentWith(call("pay"), look).invoke({ messages: "Pay." }, at);
    return seen;
  },

  "a thread has one run at a time": async ({ agentWith, at }) => {
    const second = agentWith("And me.");
    const codes: unknown[] = [];
    const meanwhile = async () => {
      codes.push(await second.invoke({ messages: "And I?" }, at).then(() => "ran", codeOf));
      return "Hello.";
    };
    await agentWith(meanwhile).invoke({ messages: "Hi" }, at);
    expect(codes).toEqual([expect.stringMatching(/^(ran|thread-in-use)$/)]);
    return codes[0] === "thread-in-use";
  },

  "the thread of another graph is refused": async ({ agentWith, checkpointer, at }) => {
    const other = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("wait", () => ({}))
      .addEdge(START, "wait")
      .compile({ checkpointer });
    await other.invoke({ messages: "Hi" }, at);
    const ended = await agentWith("Hello.")
      .invoke({ messages: "Hi" }, at)
      .then(() => "ran", codeOf);
    expect(ended).toMatch(/^(ran|foreign-thread)$/);
    return ended === "foreign-thread";
  },
};

/** Finds the newest checkpoint before which a turn had so many steps, and after which these nodes come. */
async function checkpointOf(
  agent: Agent,
  config: ReturnType<typeof at>,
  isWanted: (state: { readonly next: readonly string[]; readonly steps: number }) => boolean,
): Promise<string | undefined> {
  for await (const { next, values, config: found } of agent.getStateHistory(config)) {
    if (isWanted({ next, steps: values.intermediateSteps?.length ?? 0 }))
      return z.string().parse(found.configurable?.checkpoint_id);
  }
  return undefined;
}

const codeOf = (error: unknown) => z.object({ code: z.string() }).parse(error).code;

/** The rows of the page's table, with the durabilities of each cell. */
const [, table = ""] = readFileSync("docs/threads.md", "utf8").split("| promise |");
const [columns = "", , ...rows] = (table.split("\n\n")[0] ?? "").split("\n");
const cells = new Map(
  rows.map((row) => {
    const [promise = "", ...kept] = row.slice(2, -2).split(" | ");
    return [promise, kept.map((cell) => durabilities.filter((name) => cell === "all" || cell.includes(`\`${name}\``)))];
  }),
);

/** The places of the columns in which a saver stands. */
const places: Readonly<Record<string, readonly number[]>> = {
  SQLite: [0],
  Postgres: [0],
  memory: [1],
  // A saver that knows nothing of ours. What differs on a disk needs a kill.
  "LangGraph's MemorySaver": [3, 2],
};

describe.each(matrix(savers, memorySaver))("the page of threads says what $kept keeps", ({ kept, open }) => {
  it.each(durabilities)("with the durability %s", async (durability) => {
    const checkpointer = await open();
    for (const [promise, keeps] of Object.entries(promises)) {
      const isKept = await keeps(agents(checkpointer, durability, promise));
      const said = places[kept]?.map((place) => cells.get(promise)?.[place]?.includes(durability));
      expect([promise, said]).toEqual([promise, places[kept]?.map(() => isKept)]);
    }
  });
});

it("a fork of a run without stored steps begins at the end of the run", async () => {
  await using threads = await openThreads("memory:");
  const { agentWith, at } = agents(threads.checkpointer, "exit", "t");
  await agentWith("Hello.").invoke({ messages: "Hi" }, at);
  const end = (await threads.history("t")).turns[0]?.steps.at(-1)?.checkpoint ?? "";
  expect(await threads.fork("t", end, "fork")).toMatchObject({ turns: 1, status: "idle" });
});

it("the page of threads has a column for each saver, and only its promises about kills are not tested here", () => {
  expect(columns).toBe(
    " `sqlite:`, `postgres:` | `memory:` | another checkpointer on a disk | LangGraph's `MemorySaver` |",
  );
  const others = [...cells.keys()].filter((promise) => promises[promise] === undefined);
  expect(others.filter((promise) => !/^after a (kill|power failure) /.test(promise))).toEqual([]);
});
