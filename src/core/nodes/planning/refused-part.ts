import { ModelError, type RequestPart } from "../../../base/errors.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { NamedModel } from "../../parts/models.js";
import type { FencedProtocol } from "../../parts/protocol.js";
import { runOf } from "../../run/run.js";
import { fileBlocks } from "../../state/content.js";
import { readFile } from "../../state/file-block.js";
import type { AgentStateValues } from "../../state/state.js";
import type { PreparedCall, Step } from "./prepared-call.js";

/** A part of a request that its server refused. */
export interface Refused {
  readonly kind: "refused";
  readonly part: RequestPart;
  /** What the server does not take of later requests either: the part, or kinds of files. */
  readonly learnt: readonly string[];
  readonly why: string;
}

/** Finds the part of a request without which another request is of use. */
export function refusedIn(error: unknown, step: Step, { output, prompt, messages }: PreparedCall): Refused | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const kinds =
    prompt.files.length > 0 ? messages.flatMap(fileBlocks).map((block) => readFile(block)?.kind ?? "file") : [];
  const sent: readonly (readonly [part: RequestPart, isSent: boolean, learnt: readonly string[]])[] = [
    ["response-format", output.options !== undefined, ["response-format"]],
    ["files", kinds.length > 0, [...new Set(kinds)]],
    ["file", kinds.length > 0, []],
    ["tools", step.protocol === step.agent.protocols.native && hasWayInText(step.agent), ["tools"]],
  ];
  const found = sent.find(([part, isSent]) => isSent && error.refuses.includes(part));
  return found && { kind: "refused", part: found[0], learnt: found[2], why: error.message };
}

/**
 * Returns the step for a request without the part. What is learnt about the model is told, and holds for later turns of the
 * agent.
 *
 * @param first The step as it was before any change.
 */
export function withoutRefused(first: Step, step: Step, { part, learnt, why }: Refused): Step {
  const { agent, model, config, protocol } = step;
  const run = runOf(config);
  for (const refused of learnt) {
    agent.models.refusals.learn(model, refused);
    run.emit({ type: "refusal", part: refused, model: model.name, why });
  }
  if (part === "response-format") return step;
  if (part === "tools") {
    const { text } = agent.protocols;
    run.emit({ type: "protocol-fallback", from: protocol.name, to: text.name, why });
    return { ...first, protocol: text };
  }
  run.emit({ type: "files-named", why });
  return { ...step, withoutFiles: true };
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
