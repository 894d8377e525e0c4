import { isDeepStrictEqual } from "node:util";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ContentBlock } from "../../content/content-block.js";
import { callArguments } from "../../tool-inputs/tool-arguments.js";
import { toArguments } from "../../tool-inputs/tool-input.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { type ActionResult, type AgentAction, callIdOf, type Decision, type Reply } from "../state/decision.js";
import type { OutsideText } from "../state/outside.js";
import { replyIdOf } from "../state/reply-id.js";
import { callsOf, followedMessage, saidMessage } from "./given-message.js";

type ActionDecision = Extract<Decision, { kind: "action" }>;

/** Returns the name of an agent for its messages. OpenAI refuses a name with spaces or with one of `<`, `|`, `\\`, `/`, `>`. */
export function messageName(name: string): string {
  return name.trim().replaceAll(/[\s<|\\/>]+/g, "_");
}

/** The fields that a message has about its agent: the name, and the text from outside that the agent read. */
export interface WrittenBy {
  readonly id: string;
  readonly name?: string | undefined;
  readonly outside: readonly OutsideText[];
}

/** Returns the fields of the message of the newest reply. */
export function writtenBy(
  { answers: { name } }: Pick<AgentParts, "answers">,
  state: Parameters<typeof replyIdOf>[0],
  { outside }: Pick<WrittenBy, "outside">,
): WrittenBy {
  return { id: replyIdOf(state), name, outside };
}

/**
 * Returns the message of a step's tool calls: that of the reply, as the provider gave it. Its id is that of the reply. A call that
 * was written as a text has its arguments by the names of the tool's schema.
 */
export function callMessage(
  { actions, thought = "" }: ActionDecision,
  reply: Reply,
  { id, name, outside }: WrittenBy,
  tools: readonly ToolSpec[],
): AIMessage {
  const calls = callsOf(reply, actions);
  const followed = followedMessage(reply, actions, thought);
  return new AIMessage({
    id,
    ...(name && { name }),
    ...followed,
    response_metadata: { ...followed.response_metadata, outside },
    tool_calls: actions.map((action, n) => ({
      id: callIdOf(action),
      // The name as the model wrote it, which may be matched to that of a tool.
      name: calls[n]?.name ?? action.tool,
      args: callArguments(action, tools),
      type: "tool_call",
    })),
  });
}

/** Tells whether a call in a message is that of an action. A thread of an older version has a written input as `input`. */
export function isCallOf(
  action: AgentAction,
  call: NonNullable<AIMessage["tool_calls"]>[number] | undefined,
  tools: readonly ToolSpec[],
): boolean {
  const isOwn = (args: Record<string, unknown>) => isDeepStrictEqual(call?.args, args);
  return call?.id === callIdOf(action) && (isOwn(callArguments(action, tools)) || isOwn(toArguments(action.toolInput)));
}

/** Returns the message of an answer. If a reply gave it, the message has what else the provider said. */
export function answerMessage(answer: string, reply: Reply | undefined, { id, name, outside }: WrittenBy): AIMessage {
  const said = reply ? saidMessage(reply, answer) : { content: answer, response_metadata: {} };
  const response_metadata = { ...said.response_metadata, outside };
  return new AIMessage({ id, ...(name && { name }), ...said, response_metadata });
}

/** Returns the message of the result of a tool call. */
export function resultMessage(result: ActionResult): ToolMessage {
  const { action, status, ...given } = result;
  const { artifact, additional_kwargs, outside = [] } = given;
  return new ToolMessage({
    id: `${action.id}-observation`,
    tool_call_id: callIdOf(action),
    name: action.tool,
    content: resultContent(result),
    ...(artifact !== undefined && { artifact }),
    ...(additional_kwargs && { additional_kwargs }),
    response_metadata: { outside },
    status: status === "success" ? "success" : "error",
  });
}

/** Returns the content of the message of a result. A note is its last block. */
export function resultContent({
  observation,
  content,
  note,
}: Pick<ActionResult, "observation" | "content" | "note">): string | ContentBlock[] {
  if (note === undefined) return content ?? observation;
  return [...(content ?? [{ type: "text", text: observation }]), { type: "text", text: note }];
}
