import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import type { Threads } from "../../src/threads/open.js";
import { edit, regenerate } from "../../src/turns/go-back.js";
import { textTool } from "../helpers/tools.js";
import { databases, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { at, openKind } from "../threads/open-kind.js";

const look = (text: string) => ` I look\nAction: look\nAction Input: ${text}`;
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;
const lookTool = textTool("look", (text) => `saw ${text}`);

function agentOn({ checkpointer }: Threads, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [lookTool], protocol: "react", rephrase: false, checkpointer });
}

/** The ids of messages, and those of their tool calls. */
function idsOf(messages: readonly BaseMessage[]): string[] {
  return messages.flatMap((message) => [
    message.id ?? "none",
    ...(AIMessage.isInstance(message) ? (message.tool_calls ?? []).map(({ id }) => id ?? "none") : []),
  ]);
}

describe.each(matrix(databases, sqlite))("the ids of messages and actions in $name", (kind) => {
  test("differ from those of a branch that answers again, or asks another question", async () => {
    const { threads } = await openKind(kind);
    const replies = ["a", "b", "c"].flatMap((text) => [look(text), answer(text)]);
    const agent = agentOn(threads, ...replies);
    const first = idsOf((await agent.invoke({ messages: "Look!" }, at("t"))).messages);
    const second = idsOf((await regenerate(agent, "t")).messages);
    expect(first).toHaveLength(5);
    expect(second.filter((id) => first.includes(id))).toEqual([first[0]]);
    const { messages } = await edit(agent, "t", "Look there!");
    expect(messages.map(({ text }) => text)).toEqual(["Look there!", "I look", "saw c", "c"]);
    expect(idsOf(messages).filter((id) => [...first, ...second].includes(id))).toEqual([]);
  });

  test("stay the same when a node runs again after its run was stopped", async () => {
    const { threads } = await openKind(kind);
    const stop = new AbortController();
    const dieOnce = textTool("look", (text) => {
      if (stop.signal.aborted) return `saw ${text}`;
      stop.abort(new Error("killed"));
      return new Promise<string>(() => {});
    });
    const model = scriptedModel([look("a"), answer("A.")]);
    const { checkpointer } = threads;
    const agent = createAgent({ model, tools: [dieOnce], protocol: "react", rephrase: false, checkpointer });
    await expect(agent.invoke({ messages: "Look!" }, { ...at("t"), signal: stop.signal })).rejects.toThrow("killed");
    const { values } = await agent.getState(at("t"));
    const { intermediateSteps, messages } = await agent.invoke(null, at("t"));
    expect(intermediateSteps[0]?.results[0]?.action.id).toBe(`${values.reply.id}-1`);
    expect(idsOf(messages).slice(1)).toEqual(
      ["", "-1", "-1-observation"]
        .map((end) => `${values.reply.id}${end}`)
        .concat(expect.stringMatching(/^[0-9a-f]{12}$/)),
    );
  });
});
