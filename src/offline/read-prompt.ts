/** A tool as the react prompt lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

/** A step of the scratchpad: what was asked of a tool, and what came back. */
export interface PastStep {
  readonly tool: string;
  readonly input: string;
  readonly observation: string;
}

/** An earlier question of the conversation and its answer. */
export interface PastTurn {
  readonly question: string;
  readonly answer: string;
}

export interface ReactRequest {
  readonly kind: "react";
  readonly tools: readonly ListedTool[];
  /** The conversation so far, where the prompt shows it: the question may point back to it. */
  readonly history: readonly PastTurn[];
  readonly question: string;
  readonly steps: readonly PastStep[];
}

/** What a prompt asks for, as far as the rules can tell. */
export type Request =
  | ReactRequest
  | { readonly kind: "rephrase"; readonly history: readonly PastTurn[]; readonly question: string }
  | { readonly kind: "unknown" };

/** Finds out what a prompt asks for, by the labels that the react and the rephrase prompt are made of. */
export function readPrompt(prompt: string): Request {
  const rephrase = between(prompt, "\nFollow Up Input:", "\nStandalone question:");
  if (rephrase !== undefined && prompt.trimEnd().endsWith("Standalone question:")) {
    return {
      kind: "rephrase",
      history: readHistory(between(prompt, "\nChat History:", "\nFollow Up Input:")),
      question: rephrase.trim(),
    };
  }
  const begin = prompt.search(/^Begin!\s*^Question:/m);
  if (begin < 0) return { kind: "unknown" };
  const [question = "", ...thoughts] = prompt
    .slice(prompt.indexOf("Question:", begin) + "Question:".length)
    .split("\nThought:");
  return {
    kind: "react",
    tools: readTools(prompt.slice(0, begin)),
    history: readHistory(between(prompt.slice(0, begin + 1), "The conversation so far:", "\n\nB")),
    question: question.trim(),
    steps: readSteps(thoughts),
  };
}

/** The text between the last `start` and the first `end` after it. */
function between(text: string, start: string, end: string): string | undefined {
  const from = text.lastIndexOf(start);
  const to = text.indexOf(end, from);
  return from < 0 || to < 0 ? undefined : text.slice(from + start.length, to);
}

function readHistory(conversation = ""): PastTurn[] {
  const lines = conversation.split(/^Q: /m).slice(1);
  return lines.map((turn) => {
    const answer = turn.indexOf("\nA: ");
    return {
      question: turn.slice(0, answer < 0 ? undefined : answer).trim(),
      answer: answer < 0 ? "" : turn.slice(answer + 4).trim(),
    };
  });
}

function readTools(preamble: string): ListedTool[] {
  const list = between(preamble, "the following tools:", "Use the following format:") ?? "";
  return list.split("\n").flatMap((line) => {
    const tool = /^([^\s:][^:]*): (.*)$/.exec(line);
    return tool ? [{ name: tool[1] ?? "", description: tool[2] ?? "" }] : [];
  });
}

/** A thought with an action begins a step; what else stands between two thoughts belongs to the observation before. */
function readSteps(thoughts: readonly string[]): PastStep[] {
  const steps: PastStep[] = [];
  for (const thought of thoughts) {
    const step = readStep(thought);
    const last = steps.at(-1);
    if (step) steps.push(step);
    else if (last && thought.trim() !== "")
      steps[steps.length - 1] = { ...last, observation: `${last.observation}\n${thought.trim()}` };
  }
  return steps;
}

function readStep(thought: string): PastStep | undefined {
  const action = thought.indexOf("\nAction: ");
  const input = thought.indexOf("\nAction Input: ", action);
  const observation = thought.indexOf("\nObservation:", input);
  if (action < 0 || input < 0 || observation < 0) return undefined;
  return {
    tool: thought.slice(action + "\nAction: ".length, input).trim(),
    input: thought.slice(input + "\nAction Input: ".length, observation).trim(),
    observation: thought.slice(observation + "\nObservation:".length).trim(),
  };
}
