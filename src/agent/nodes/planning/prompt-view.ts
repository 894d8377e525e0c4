import { fencedTools, fencedView } from "../../../protocols/fence/fenced-view.js";
import { paragraphs } from "../../../protocols/prompt/prompt-parts.js";
import type { PromptView, Protocol, ToolSpec } from "../../../protocols/protocol.js";
import type { PromptRecord, Shortened } from "../../../turn/prompt-record.js";
import type { AgentStateValues, Turn } from "../../../turn/state.js";
import { lastStep } from "../../limits/last-call.js";
import type { OutputRequest } from "../../output/output-request.js";
import type { AgentDependencies } from "../dependencies.js";
import { shortenedView } from "./shortened-view.js";
import { shownPassages } from "./shown-passages.js";

/** Returns what a prompt is made of, beside the state. */
export async function promptRecord(
  agent: AgentDependencies,
  protocol: Protocol,
  asked: Pick<PromptRecord, "model" | "stop" | "images">,
  output: OutputRequest,
): Promise<PromptRecord> {
  const instructions = await agent.instructions();
  const examples = await agent.examples();
  return {
    ...asked,
    protocol: protocol.name,
    ...(!isEmpty(protocol.options) && { options: protocol.options }),
    instructions: instructions.trim(),
    outputInstructions: output.instructions,
    ...(examples && { examples: [...examples] }),
    tools: [...agent.toolSpecs],
    outputSchema: output.definition,
    currentDate: agent.currentDate,
    observationCharacters: agent.maxObservationCharacters,
  };
}

function isEmpty(options: Protocol["options"]): boolean {
  return Object.keys(options ?? {}).length === 0;
}

/** Returns the tools as a model gets them natively: descriptions of others are fenced. */
export function shownTools(tools: readonly ToolSpec[], { mark }: Turn, protocol: Protocol): readonly ToolSpec[] {
  return fencedTools(tools, { mark, protocol, tools });
}

/**
 * Returns the data for a prompt of a protocol. All text from outside is fenced here. It depends on nothing else, so a prompt of
 * the past can be shown again.
 *
 * @param request The text that asks for the last answer of the turn, if no step has it.
 */
export function promptView(
  record: PromptRecord,
  state: AgentStateValues,
  shortened: Shortened,
  protocol: Protocol,
  request?: string,
): PromptView {
  const { turn, question } = state;
  const instructions = paragraphs(record.instructions, turn.instructions ?? "", record.outputInstructions);
  const view = {
    question: paragraphs(question, turn.since ? `Since then:\n${turn.since}` : ""),
    rephrased: question !== turn.asked,
    chatHistory: state.chatHistory,
    intermediateSteps: state.intermediateSteps,
    tools: record.tools,
    images: record.images,
    ...shownPassages(state),
    ...(record.examples && { examples: record.examples }),
    ...(instructions && { instructions }),
    ...(record.currentDate ? { currentDate: turn.startedAt.slice(0, "YYYY-MM-DD".length) } : {}),
  };
  const fenced = fencedView(shortenedView(view, shortened), protocol, {
    mark: turn.mark,
    most: record.observationCharacters,
  });
  return request === undefined
    ? fenced
    : { ...fenced, intermediateSteps: [...fenced.intermediateSteps, lastStep(request)] };
}
