import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { withBlock } from "../state/content.js";
import { type ActionResult, type Decision, toArguments } from "../state/decision.js";

type ActionDecision = Extract<Decision, { kind: "action" }>;

/** Returns the name of an agent for its messages. OpenAI refuses a name with spaces or with one of `<`, `|`, `\\`, `/`, `>`. */
export function messageName(name: string): string {
  return name.trim().replaceAll(/[\s<|\\/>]+/g, "_");
}

/** Returns the message of a step's tool calls, for LangGraph clients. Its id is that of the reply. */
export function callMessage({ actions, thought = "" }: ActionDecision, replyId: string, name?: string): AIMessage {
  return new AIMessage({
    id: replyId,
    ...(name && { name }),
    content: thought,
    tool_calls: actions.map(({ id, tool, toolInput }) => ({ id, name: tool, args: toArguments(toolInput) })),
  });
}

/** Returns the message of the result of a tool call. A note is the last block of it. */
export function resultMessage({ action, observation, status, note, content, artifact }: ActionResult): ToolMessage {
  return new ToolMessage({
    id: `${action.id}-observation`,
    tool_call_id: action.id,
    name: action.tool,
    content: withBlock(content ?? observation, note),
    ...(artifact !== undefined && { artifact }),
    status: status === "success" ? "success" : "error",
  });
}
