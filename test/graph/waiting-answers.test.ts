import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { keeperOf } from "../../src/core/run/keeper.js";
import { createAgent, openThreads } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { databases, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { openKind } from "../threads/open-kind.js";

const thread = { configurable: { thread_id: "t" } };
const yes = (): Command<unknown, Record<string, never>, never> => new Command({ resume: "yes" });
const asks = (...people: readonly string[]) => ({
  tool_calls: people.map((person) => ({ name: "sure", args: { person } })),
});

describe.each(matrix(databases, sqlite))("a resume value without an id, which waits for a thread in $name,", (kind) => {
  /** Asks in one process. Returns the agents of two. The tool of the first waits after each answer until it is let go. */
  async function asking(replies: readonly ScriptedReply[]) {
    const { threads, url } = await openKind(kind);
    const others = kind.lasting ? await openThreads(url) : threads;
    onTestFinished(() => others.close());
    const model = scriptedModel(replies);
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const agentOf = ({ checkpointer }: typeof threads, leave: Promise<void> | undefined) => {
      const sure = tool(
        async ({ person }) => {
          const answer = interrupt(`Is ${person} sure?`);
          await leave;
          return `${person} said ${answer}`;
        },
        { name: "sure", description: "Asks.", schema: z.object({ person: z.string() }) },
      );
      const options = { tools: [sure], protocol: "tool-calling", multitaskStrategy: "enqueue" } as const;
      return createAgent({ model, ...options, rephrase: false, checkpointer });
    };
    const agents = [agentOf(threads, gate), agentOf(others, undefined)] as const;
    await agents[0].invoke({ messages: "Go." }, thread);
    return { agents, checkpointer: threads.checkpointer, letGo };
  }

  type Agent = Awaited<ReturnType<typeof asking>>["agents"][number];

  /** Waits until a run of an agent has read what is asked. */
  async function untilRead({ checkpointer }: Agent, begin: () => void) {
    if (typeof checkpointer !== "object") throw new Error("There is no checkpointer.");
    const reads = vi.spyOn(checkpointer, "getTuple");
    begin();
    await expect.poll(() => reads.mock.settledResults.map(({ type }) => type)).toContain("fulfilled");
  }

  it.each<[string, ScriptedReply[]]>([
    ["the same step", [asks("Ann", "Ben"), "Done."]],
    ["the next step", [asks("Ann"), asks("Ben"), "Done."]],
  ])("is not used for an interrupt that comes meanwhile in %s", async (_where, replies) => {
    const { agents, letGo } = await asking(replies);
    const given: Promise<unknown>[] = [];
    for (const agent of agents) await untilRead(agent, () => given.push(agent.invoke(yes(), thread)));
    letGo();
    const [answered, late] = await Promise.allSettled(given);
    const asked = expect.objectContaining({ id: expect.any(String), value: "Is Ben sure?" });
    expect(answered).toMatchObject({ value: { __interrupt__: [asked] } });
    const [waiting] = (await agents[1].getState(thread)).tasks[0]?.interrupts ?? [];
    expect(waiting).toEqual(asked);
    expect(late).toMatchObject({ reason: { name: "NotWaitingError", waiting: [waiting?.id] } });
    expect(await agents[1].invoke(yes(), thread)).toMatchObject({ answer: "Done." });
  });

  it("is used if the same interrupt still waits there", async () => {
    const { agents, checkpointer } = await asking([asks("Ann"), "Done."]);
    const [, agent] = agents;
    const hold = await keeperOf(checkpointer)?.take("t");
    const given: Promise<unknown>[] = [];
    await untilRead(agent, () => given.push(agent.invoke(yes(), thread)));
    await hold?.release();
    expect(await given[0]).toMatchObject({ answer: "Done." });
  });
});
