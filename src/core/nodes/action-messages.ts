import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ContentBlock } from "../state/content-block.js";
import { type ActionResult, callIdOf, type Decision, type Reply, toArguments } from "../state/decision.js";
import { callsOf, followedMessage, saidMessage } from "./given-message.js";

type ActionDecision = Extract<Decision, { kind: "action" }>;

/** Returns the name of an agent for its messages. OpenAI refuses a name with spaces or with one of `<`, `|`, `\\`, `/`, `>`. */
export function messageName(name: string): string {
  return name.trim().replaceAll(/[\s<|\\/>]+/g, "_");
}

/** Returns the message of a step's tool calls: that of the reply, as the provider gave it. Its id is that of the reply. */
export function callMessage(
  { actions, thought = "" }: ActionDecision,
  reply: Reply,
  { id, name }: { readonly id: string; readonly name?: string | undefined },
): AIMessage {
  const calls = callsOf(reply, actions);
  return new AIMessage({
    id,
    ...(name && { name }),
    ...followedMessage(reply, actions, thought),
    tool_calls: actions.map((action, n) => ({
      id: callIdOf(action),
      // The name as the model wrote it, which may be matched to that of a tool.
      name: calls[n]?.name ?? action.tool,
      args: toArguments(action.toolInput),
      type: "tool_call",
    })),
  });
}

/** Returns the message of an answer. If a reply gave it, the message has what else the provider said. */
export function answerMessage(
  answer: string,
  reply: Reply | undefined,
  { id, name }: { readonly id: string; readonly name?: string | undefined },
): AIMessage {
  return new AIMessage({ id, ...(name && { name }), ...(reply ? saidMessage(reply, answer) : { content: answer }) });
}

/** Returns the message of the result of a tool call. A note is the last block of it. */
export function resultMessage({ action, observation, status, note, content, ...given }: ActionResult): ToolMessage {
  const { artifact, additional_kwargs } = given;
  return new ToolMessage({
    id: `${action.id}-observation`,
    tool_call_id: callIdOf(action),
    name: action.tool,
    content: withBlock(content ?? observation, note),
    ...(artifact !== undefined && { artifact }),
    ...(additional_kwargs && { additional_kwargs }),
    status: status === "success" ? "success" : "error",
  });
}

/** Returns content with a text as its last block. */
function withBlock(content: string | ContentBlock[], text: string | undefined): string | ContentBlock[] {
  if (text === undefined) return content;
  return [...(typeof content === "string" ? [{ type: "text", text: content }] : content), { type: "text", text }];
}
