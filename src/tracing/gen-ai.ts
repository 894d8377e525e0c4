import type { BaseMessage } from "@langchain/core/messages";
import type { TurnSoFar } from "../core/run/teller.js";
import type { Reply, ToolInput } from "../core/state/decision.js";
import type { AgentStateUpdate } from "../core/state/state.js";
import type { Tokens } from "../core/state/usage.js";
import { type Attributes, keepsContents, type SpanStart } from "./spans.js";

// The names are those of OpenTelemetry's conventions for generative AI, version 1.41 (in development). Names that begin
// with "glassloop" are for what has no name there.

/** Describes a run of an agent. */
export function agentSpan(agent: string, thread: unknown): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "glassloop",
      "gen_ai.agent.name": agent,
      ...(typeof thread === "string" && { "gen_ai.conversation.id": thread }),
    },
  };
}

/** Returns what is known of a turn at the end of its run. The tokens are those of the turn so far. */
export function turnAttributes({ turn, stopReason, usage }: TurnSoFar): Attributes {
  return {
    "glassloop.turn.id": turn,
    "glassloop.stop_reason": stopReason,
    ...(usage && tokenAttributes(usage.turn)),
  };
}

/** Describes a node of an agent. */
export function nodeSpan(node: string): SpanStart {
  return { name: node, attributes: { "glassloop.node": node } };
}

/** Returns what the update of a node says: the protocol of the reply, the decision, the end of the turn. */
export function nodeEnd({ reply, decision, stopReason }: AgentStateUpdate): Attributes {
  return {
    "glassloop.protocol": reply?.protocol,
    "glassloop.decision": decision?.kind,
    "glassloop.stop_reason": stopReason ?? undefined,
  };
}

/** Describes the call of a model, with all its tries. */
export function modelSpan(model: string, provider: string, purpose: string): SpanStart {
  return {
    name: `chat ${model}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "glassloop.purpose": purpose,
    },
  };
}

/** Returns the tokens of model calls. */
export function tokenAttributes(tokens: Partial<Tokens>): Attributes {
  return {
    "gen_ai.usage.input_tokens": tokens.inputTokens,
    "gen_ai.usage.output_tokens": tokens.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": tokens.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": tokens.cacheWriteTokens,
    "gen_ai.usage.audio.input_tokens": tokens.audioInputTokens,
    "gen_ai.usage.audio.output_tokens": tokens.audioOutputTokens,
    "gen_ai.usage.reasoning.output_tokens": tokens.reasoningTokens,
    "glassloop.usage.estimated_tokens": tokens.estimatedTokens,
  };
}

/** Returns what a model was sent, if spans may have that. */
export function sentMessages(messages: readonly BaseMessage[]): Attributes {
  if (!keepsContents()) return {};
  const parts = messages.map((message) => ({
    role: roleOf(message),
    parts: [{ type: "text", content: message.text }],
  }));
  return { "gen_ai.input.messages": JSON.stringify(parts) };
}

function roleOf(message: BaseMessage): string {
  const type = message.getType();
  return type === "human" ? "user" : type === "ai" ? "assistant" : type;
}

/** Returns why a reply ended, and what it says, if spans may have that. */
export function replyAttributes({
  text,
  toolCalls,
  finishReason,
}: Pick<Reply, "text" | "toolCalls" | "finishReason">): Attributes {
  const calls = toolCalls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args }));
  const said = { role: "assistant", parts: [{ type: "text", content: text }, ...calls], finish_reason: finishReason };
  return {
    ...(finishReason !== undefined && { "gen_ai.response.finish_reasons": [finishReason] }),
    ...(keepsContents() && { "gen_ai.output.messages": JSON.stringify([said]) }),
  };
}

/** Describes the call of a tool. */
export function toolSpan(tool: string, id: string, input: ToolInput): SpanStart {
  return {
    name: `execute_tool ${tool}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      ...(keepsContents() && { "gen_ai.tool.call.arguments": JSON.stringify(input) }),
    },
  };
}

/** Returns what a tool gave, if spans may have that. */
export function toolResult(observation: string): Attributes {
  return keepsContents() ? { "gen_ai.tool.call.result": observation } : {};
}
