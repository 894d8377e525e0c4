import { ModelError, type RequestPart } from "../../../base/errors.js";
import { fileBlocks } from "../../../content/content.js";
import { readFile } from "../../../content/file-block.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { NamedModel } from "../../parts/models.js";
import type { FencedProtocol } from "../../parts/protocol.js";
import { runOf } from "../../run/run.js";
import type { LastCall } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";
import type { PreparedCall, Step } from "./prepared-call.js";

/** Returns the first request for the reply of a step. Default: in the protocol that {@link protocolFor} chooses. */
export function firstRequest(
  { agent, model, state, config, settings }: Omit<Step, "protocol">,
  protocol = protocolFor(agent, model, state),
): Step {
  return { agent, model, state, config, settings, protocol, last: lastCallIn(state) };
}

/** Returns the last call of a turn that `parse` ended at a limit. The correction in its last step asks for the answer. */
function lastCallIn({ intermediateSteps }: AgentStateValues): LastCall | undefined {
  const decision = intermediateSteps.at(-1)?.decision;
  if (decision?.kind !== "unparseable" || decision.limit === undefined) return undefined;
  return { stopReason: decision.limit, why: decision.why, isAsked: true };
}

/**
 * Returns the request without the part that its server refused. What is learnt about the model is told, and holds for later
 * turns of the agent. Returns undefined if no part was refused without which the request is of use.
 */
export function withoutRefused(error: unknown, call: PreparedCall): Step | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { agent, model, config, protocol } = call;
  const { message: why } = error;
  const [part, , learnt] = sentParts(call).find(([sent, isSent]) => isSent && error.refuses.includes(sent)) ?? [];
  const run = runOf(config);
  for (const refused of learnt ?? []) {
    agent.models.refusals.learn(model, refused);
    run.emit({ type: "refusal", part: refused, model: model.name, why });
  }
  if (part === undefined || part === "response-format") return part && call;
  if (part === "tools") {
    const { text } = agent.protocols;
    run.emit({ type: "protocol-fallback", from: protocol.name, to: text.name, why });
    return firstRequest(call, text);
  }
  run.emit({ type: "files-named", why });
  return { ...call, withoutFiles: true };
}

type SentPart = readonly [part: RequestPart, isSent: boolean, learnt: readonly string[]];

/** Returns the parts of a request that can be left out, each with what its refusal tells of later requests. */
function sentParts({ agent, protocol, added, prompt, messages }: PreparedCall): readonly SentPart[] {
  const kinds =
    prompt.files.length > 0 ? messages.flatMap(fileBlocks).map((block) => readFile(block)?.kind ?? "file") : [];
  return [
    ["response-format", added.options?.response_format !== undefined, ["response-format"]],
    ["files", kinds.length > 0, [...new Set(kinds)]],
    ["file", kinds.length > 0, []],
    ["tools", protocol === agent.protocols.native && hasWayInText(agent), ["tools"]],
  ];
}

/**
 * Returns the protocol for a step: the native one, if there is one, and the server is not known to refuse tools. A turn under way
 * keeps its protocol, whatever other turns learn meanwhile.
 */
export function protocolFor(agent: AgentParts, model: NamedModel, state: AgentStateValues): FencedProtocol {
  const { text, native } = agent.protocols;
  const isUnderWay = state.intermediateSteps.length > 0 && state.prompt?.model === model.name;
  const isRefused = isUnderWay ? state.prompt?.protocol === text.name : agent.models.refusals.has(model, "tools");
  const isWithout = !model.abilities.nativeTools || isRefused;
  return native && !(isWithout && hasWayInText(agent)) ? native : text;
}

/**
 * Tells whether an agent can go on in a text protocol. An agent with a tool of the provider cannot: the tool is not callable
 * in text, and an answer would look as if it had been used.
 */
function hasWayInText({ tools }: AgentParts): boolean {
  return tools.ofProvider.length === 0;
}
