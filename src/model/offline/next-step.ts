import { answersIn, type FoundAnswer, longestQuestion } from "./best-sentence.js";
import { type Calculation, missingNumber, numberIn, readCalculation, withoutAsking } from "./calculation.js";
import { readHistory, standaloneQuestion } from "./conversation.js";

/** A text protocol: a part of its prompts, and how it writes a call and an answer. */
interface Dialect {
  readonly sign: string;
  readonly call: (tool: string, input: string) => string;
  readonly answer: (text: string) => string;
}

/** The first sign in a prompt counts. Observations may quote those of other protocols. */
const dialects: readonly Dialect[] = [
  {
    sign: "\nQuestion: the input question you must answer\n",
    call: (tool, input) => ` I need the ${tool}.\nAction: ${tool}\nAction Input: ${input}`,
    answer: (text) => ` I now know the final answer\nFinal Answer: ${text}`,
  },
  {
    sign: "\nBegin! Always respond with a valid JSON blob",
    call: (tool, input) => ` I need the ${tool}.\nAction:\n${blobOf(tool, input)}`,
    answer: (text) => ` I know what to respond\nAction:\n${blobOf("Final Answer", text)}`,
  },
  {
    sign: "\nThought: Do I need to use a tool? No\nAI: ",
    call: (tool, input) => ` Do I need to use a tool? Yes\nAction: ${tool}\nAction Input: ${input}`,
    answer: (text) => ` Do I need to use a tool? No\nAI: ${text}`,
  },
  {
    sign: "\nAre follow up questions needed here:",
    call: (_, input) => ` Yes.\nFollow up: ${input}`,
    answer: (text) => ` No.\nSo the final answer is: ${text}`,
  },
];

function blobOf(action: string, input: string): string {
  return `\`\`\`\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\``;
}

/** What the model says if it has no answer. */
export const standIn =
  "I am the offline stand-in, no language model, and found nothing about this. " +
  'Name a model for more, such as "openai:gpt-4o-mini": the option model, or --model.';

/** Returns the next reply of a turn, in the form of the prompt. Undefined if the prompt is of no text protocol. */
export function nextStep(prompt: string): string | undefined {
  const dialect = dialects.find(({ sign }) => prompt.includes(sign));
  const decided = dialect && decide(readPrompt(prompt));
  if (typeof decided === "string") return dialect?.answer(inOneLine(decided));
  return decided && dialect?.call(decided.tool, inOneLine(decided.input));
}

const labels = /\b(Thought|Action|Action Input|Observation|Final Answer|AI|Follow up)\s*[:：]/gi;

/** Puts a text in one line, without words that a protocol would read as labels. */
function inOneLine(text: string): string {
  return text.replace(labels, "$1").replace(/\s+/g, " ").trim();
}

/** A prompt as the rules read it: the question, the tools by their purpose, and what they returned in this turn. */
type Desk = ReturnType<typeof readPrompt>;

function readPrompt(prompt: string) {
  const [label] = /^Begin!.*\n+Question: /m.exec(prompt) ?? ["\nQuestion: "];
  const start = label.startsWith("Begin!") ? prompt.indexOf(label) : prompt.lastIndexOf(label);
  const [preamble = "", conversation = ""] = prompt.slice(0, start).split("\nThe conversation so far:");
  const written = prompt.slice(start + label.length);
  const [asked = ""] = written.split(/\n(?:Thought|Are follow up questions needed here):/);
  const question = asked.split("\nStandalone question: ").at(-1) ?? "";
  const tools = [...preamble.matchAll(/^([\w-]+): /gm)].map(([, name = ""]) => name);
  const searches = tools.filter((name) => /search|lookup|documents?|wiki|retriev/i.test(name));
  return {
    question: standaloneQuestion(question.trim(), readHistory(conversation)),
    calculator: tools.find((name) => /calc|math/i.test(name)),
    // The prompt of self-ask names no tool. Its examples are there if there is one, which searches.
    searches: preamble.includes("\nFollow up: ") ? [unnamed] : searches,
    observations: observationsIn(written),
  };
}

const unnamed = "search";

function observationsIn(written: string): Map<string, string> {
  const parts = written
    .split(/\n(?:Observation|Intermediate answer): /)
    .map((part) => part.split(/\n(?=Thought:|Follow up: )/));
  const pairs = parts.slice(1).map((part, n): [string, string] => {
    const calls = [...(parts[n]?.at(-1) ?? "").matchAll(/\bAction: (.+)|"action": "(.+)"/g)];
    const [, plain, blob = unnamed] = calls.at(-1) ?? [];
    return [(plain ?? blob).trim(), (part.length > 1 ? part.slice(0, -1) : part).join("\n")];
  });
  return new Map(pairs);
}

/** A call of a tool, or an answer. */
type Decided = string | { readonly tool: string; readonly input: string };

function decide(desk: Desk): Decided {
  const { question } = desk;
  if (question.length > longestQuestion) return standIn;
  const calculation = readCalculation(question);
  if (calculation) return calculate(calculation, desk);
  const phrase = missingNumber(question);
  if (phrase === undefined) return lookUp(question, desk, ({ text }) => text);
  return lookUp(`What is ${phrase}?`, desk, ({ text, clause }) => {
    const found = readCalculation(question.replace(phrase, numberIn(clause) ?? phrase));
    const result = found ? calculate(found, desk) : "I find no number in this to calculate with.";
    return typeof result === "string" ? `${text} ${result}` : result;
  });
}

/** Asks one search tool after the other, until one has a sentence that answers. */
function lookUp(question: string, desk: Desk, answer: (found: FoundAnswer) => Decided): Decided {
  for (const tool of desk.searches) {
    const observation = desk.observations.get(tool);
    if (observation === undefined) return { tool, input: withoutAsking(question) || question };
    const [found] = answersIn(observation, question);
    if (found) return answer(found);
  }
  const [problem] = [...desk.observations.values()].flatMap((observation) => problemIn(observation) ?? []);
  return problem === undefined ? standIn : `I could not look this up. ${problem}`;
}

/** Returns what a person must mend before a tool can work. */
function problemIn(observation: string): string | undefined {
  const failure = /^(?:\S+ failed with \w+: |(?=There are no documents))(.+?)(?: Try another input|$)/s;
  return failure.exec(observation)?.[1];
}

function calculate({ subject, expression }: Calculation, { calculator, observations }: Desk): Decided {
  if (calculator === undefined) return `I have no calculator here to work out ${expression}.`;
  const result = observations.get(calculator)?.trim();
  if (result === undefined) return { tool: calculator, input: expression };
  if (!/^\D{0,6}\d/.test(result)) return problemIn(result) ?? `I could not work out ${subject}.`;
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)} is ${result}.`;
}
