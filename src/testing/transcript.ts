import type { Decision, IntermediateStep, Reply } from "../core/state/decision.js";
import type { ToolInput } from "../tool-inputs/tool-input.js";

/** The part of a turn that {@link transcript} reads. The state that an agent returns has all of it. */
export interface Transcribable {
  readonly question?: string;
  readonly intermediateSteps?: readonly IntermediateStep[];
  readonly decision?: Decision | null;
  readonly reply?: Reply | null;
  readonly answer?: string | null;
  readonly stopReason?: string | null;
}

/**
 * Prints a turn for people, in the words of the ReAct paper, for any protocol. It is meant for test snapshots and for
 * looking at a run. Steps alone are printed without question and answer.
 *
 * @param turn The state that an agent returned, or its `intermediateSteps`.
 * @returns Lines, without a line break at the end:
 *   ```text
 *   Question: What is the square root of 25?
 *   Thought: I need to use a calculator for this
 *   Action: calculator
 *   Action Input: 25^(1/2)
 *   Observation: 5
 *   Thought: I now know the final answer
 *   Final Answer: The square root of 25 is 5.
 *   ```
 * An unreadable reply is printed as it was, with the correction as its observation. A turn without an answer of the
 * model prints the reason: `Stopped (step-limit): …`.
 */
export function transcript(turn: Transcribable | readonly IntermediateStep[]): string {
  const { question, intermediateSteps = [], decision, reply, answer, stopReason } = asTurn(turn);
  return [
    ...(question ? [`Question: ${question}`] : []),
    ...intermediateSteps.flatMap((step) => [...providerLines(step.reply), ...stepLines(step)]),
    ...(decision?.kind === "finish" ? [...providerLines(reply), ...thoughtLines(decision.thought)] : []),
    ...(typeof answer === "string" ? [`${answerLabel(stopReason ?? "answered")}: ${answer}`] : []),
  ].join("\n");
}

function asTurn(turn: Transcribable | readonly IntermediateStep[]): Transcribable {
  return isSteps(turn) ? { intermediateSteps: turn } : turn;
}

function isSteps(turn: Transcribable | readonly IntermediateStep[]): turn is readonly IntermediateStep[] {
  return Array.isArray(turn);
}

function stepLines({ reply, decision, results }: IntermediateStep): string[] {
  switch (decision.kind) {
    case "unparseable":
      return [`Unreadable: ${reply.text}`, `Observation: ${decision.correction}`];
    case "finish":
      return thoughtLines(decision.thought);
    case "action":
      return [
        ...thoughtLines(decision.thought),
        ...results.flatMap(({ action, observation }) => [
          `Action: ${action.tool}`,
          `Action Input: ${inputText(action.toolInput)}`,
          `Observation: ${observation}`,
        ]),
      ];
  }
}

/** Returns the lines for what tools of the provider did. */
function providerLines(reply: Reply | null | undefined): string[] {
  return (reply?.byProvider ?? []).flatMap((step) =>
    step.type === "action"
      ? [`Action (provider): ${step.tool}`, `Action Input: ${inputText(step.toolInput)}`]
      : [`Observation: ${step.text}`],
  );
}

function thoughtLines(thought = ""): string[] {
  return thought === "" ? [] : [`Thought: ${thought}`];
}

function inputText(input: ToolInput): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function answerLabel(stopReason: string): string {
  if (stopReason === "answered") return "Final Answer";
  return stopReason === "returned" ? "Returned" : `Stopped (${stopReason})`;
}
