import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../../content/content.js";
import type { Plugin } from "../../core/parts/plugin.js";
import type { Findings, RunStart, TurnOutcome, Work, WrapWork } from "../../core/run/work.js";
import type { Tokens } from "../../core/state/usage.js";
import {
  type Attributes,
  hasTracing,
  inSpan,
  keepsContents,
  loadTracing,
  type SpanStart,
  streamInSpan,
} from "./spans.js";

// The names are those of OpenTelemetry's conventions for generative AI, version 1.41 (in development). Names that begin
// with "glassloop" are for what has no name there.

/** Makes spans of OpenTelemetry, if it is installed and the program has set it up: a run, its nodes, model calls and tools. */
export const tracing: Plugin = {
  name: "tracing",
  wrapRun: async (run, next) => {
    await loadTracing();
    const stream = await next(run);
    return streamInSpan(
      () => agentSpan(run),
      stream,
      () => turnAttributes(run.turn.outcome),
    );
  },
  get wrapWork() {
    return hasTracing() ? spanned : undefined;
  },
};

const spanned: WrapWork = (work, next) =>
  inSpan(
    () => spanOf(work),
    () => attributesOf(work.found),
    () => next(work),
  );

function agentSpan({ name, thread }: RunStart): SpanStart {
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "glassloop",
      "gen_ai.agent.name": name,
      ...(typeof thread === "string" && { "gen_ai.conversation.id": thread }),
    },
  };
}

/** Returns what is known of a turn at the end of its run. The tokens are those of the turn so far. */
function turnAttributes({ turn, stopReason, usage }: TurnOutcome): Attributes {
  return { "glassloop.turn.id": turn, "glassloop.stop_reason": stopReason, ...(usage && tokenAttributes(usage.turn)) };
}

function spanOf(work: Work): SpanStart {
  const { kind, name } = work;
  if (kind === "node") return { name, attributes: { "glassloop.node": name } };
  if (kind === "model") {
    return {
      name: `chat ${name}`,
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": work.provider,
        "gen_ai.request.model": name,
        "glassloop.purpose": work.purpose,
      },
    };
  }
  return {
    name: `execute_tool ${name}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": work.id,
      "gen_ai.tool.type": "function",
      ...(keepsContents() && { "gen_ai.tool.call.arguments": JSON.stringify(work.input) }),
    },
  };
}

function attributesOf({ update, messages, reply, beside, tokens, observation }: Findings): Attributes {
  return {
    ...(update && {
      "glassloop.protocol": update.reply?.protocol,
      "glassloop.decision": update.decision?.kind,
      "glassloop.stop_reason": update.stopReason ?? undefined,
    }),
    ...(messages && keepsContents() && { "gen_ai.input.messages": JSON.stringify(messages.map(sentMessage)) }),
    ...(reply && replyAttributes(reply, beside)),
    ...(tokens && tokenAttributes(tokens)),
    ...(observation !== undefined && keepsContents() && { "gen_ai.tool.call.result": observation }),
  };
}

/** Returns the tokens of model calls. */
function tokenAttributes(tokens: Partial<Tokens>): Attributes {
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

function sentMessage(message: BaseMessage) {
  const type = message.getType();
  const role = type === "human" ? "user" : type === "ai" ? "assistant" : type;
  // Files are named. A reply has blocks that are none, such as reasoning.
  return { role, parts: [{ type: "text", content: type === "ai" ? message.text : messageText(message) }] };
}

/** Returns why a reply ended, and what it says, if spans may have that. */
function replyAttributes(
  { text, toolCalls, finishReason }: NonNullable<Findings["reply"]>,
  reasoning = "",
): Attributes {
  const thinking = reasoning === "" ? [] : [{ type: "reasoning", content: reasoning }];
  const calls = toolCalls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args }));
  const parts = [...thinking, { type: "text", content: text }, ...calls];
  const said = { role: "assistant", parts, finish_reason: finishReason };
  return {
    ...(finishReason !== undefined && { "gen_ai.response.finish_reasons": [finishReason] }),
    ...(keepsContents() && { "gen_ai.output.messages": JSON.stringify([said]) }),
  };
}
