/** A tool in the list of the react prompt. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
}

/** A step of the scratchpad: a tool, its input and its observation. */
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
  /** The conversation so far, if the prompt shows it. The question may point back to it. */
  readonly history: readonly PastTurn[];
  readonly question: string;
  readonly steps: readonly PastStep[];
}

/** The request in a prompt. The rules know three kinds of prompt. */
export type Request =
  | ReactRequest
  | { readonly kind: "rephrase"; readonly history: readonly PastTurn[]; readonly question: string }
  | { readonly kind: "summary"; readonly current: string; readonly newLines: readonly PastTurn[] }
  | { readonly kind: "unknown" };

/** Reads the request in a prompt. It knows the react, the rephrase and the summary prompt by their labels. */
export function readPrompt(prompt: string): Request {
  return readRephrase(prompt) ?? readSummary(prompt) ?? readReact(prompt) ?? { kind: "unknown" };
}

function readRephrase(prompt: string): Request | undefined {
  const question = between(prompt, "\nFollow Up Input:", "\nStandalone question:");
  if (question === undefined || !prompt.trimEnd().endsWith("Standalone question:")) return undefined;
  const history = readHistory(between(prompt, "\nChat History:", "\nFollow Up Input:"));
  return { kind: "rephrase", history, question: question.trim() };
}

function readSummary(prompt: string): Request | undefined {
  const newLines = between(prompt, "\nNew lines of conversation:", "\n\nNew summary:");
  if (newLines === undefined || !prompt.trimEnd().endsWith("New summary:")) return undefined;
  const current = between(prompt, "\nCurrent summary:", "\n\nNew lines of conversation:") ?? "";
  return { kind: "summary", current: current.trim(), newLines: readHistory(newLines, "Human", "AI") };
}

function readReact(prompt: string): Request | undefined {
  const begin = prompt.search(/^Begin!\s*^Question:/m);
  if (begin < 0) return undefined;
  const [question = "", ...thoughts] = prompt
    .slice(prompt.indexOf("Question:", begin) + "Question:".length)
    .split("\nThought:");
  const preamble = prompt.slice(0, begin);
  return {
    kind: "react",
    tools: readTools(preamble),
    history: readHistory(preamble.split("\nThe conversation so far:")[1]),
    question: question.trim(),
    steps: readSteps(thoughts),
  };
}

/** Returns the text between the last `start` and the first `end` after it. */
function between(text: string, start: string, end: string): string | undefined {
  const from = text.lastIndexOf(start);
  const to = text.indexOf(end, from);
  return from < 0 || to < 0 ? undefined : text.slice(from + start.length, to);
}

function readHistory(conversation = "", asker = "Q", answerer = "A"): PastTurn[] {
  const turns = `\n${conversation}`.split(`\n${asker}: `).slice(1);
  return turns.map((turn) => {
    const [question = "", ...answer] = turn.split(`\n${answerer}: `);
    return { question: question.trim(), answer: answer.join(" ").trim() };
  });
}

function readTools(preamble: string): ListedTool[] {
  const list = between(preamble, "the following tools:", "Use the following format:") ?? "";
  return list.split("\n").flatMap((line) => {
    const tool = /^([^\s:][^:]*): (.*)$/.exec(line);
    return tool ? [{ name: tool[1] ?? "", description: tool[2] ?? "" }] : [];
  });
}

/**
 * Reads the steps from the thoughts. A thought with an action begins a step. Any other text belongs to the observation
 * before.
 */
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
