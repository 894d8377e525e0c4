import { bestSentence } from "./best-sentence.js";
import { type Calculation, readCalculation, withoutAsking } from "./calculation.js";
import { standaloneQuestion } from "./follow-up.js";
import { askedQuantity, type Quantity } from "./quantities.js";
import type { ListedTool, PastStep, ReactRequest } from "./read-prompt.js";
import { smallTalk } from "./small-talk.js";

/**
 * Returns the next reply of a turn, in the words of the react prompt. A text may have several questions ("Who won? How
 * old is he?"). Each is answered in turn, with the earlier ones as its history. A question uses each tool at most once,
 * so a turn always ends.
 */
export function nextStep(request: ReactRequest): string {
  const turns = [...request.history];
  const parts = request.question.split(/(?<=\?)\s+/);
  let { steps } = request;
  for (const part of parts) {
    const question = standaloneQuestion(part, turns);
    const taken = stepsTaken({ ...request, question, steps });
    const reply = replyToOne({ ...request, question, steps: steps.slice(0, taken) });
    const answer = answerIn(reply);
    if (answer === undefined || parts.length === 1) return reply;
    turns.push({ question, answer });
    steps = steps.slice(taken);
  }
  return answerWith([...new Set(turns.slice(request.history.length).map(({ answer }) => answer))].join(" "));
}

/**
 * Returns the number of steps that belong to a question. The rules would take the same steps until they have the
 * answer.
 */
function stepsTaken(request: ReactRequest): number {
  const { steps } = request;
  const end = steps.findIndex(
    (_, taken) => answerIn(replyToOne({ ...request, steps: steps.slice(0, taken) })) !== undefined,
  );
  return end < 0 ? steps.length : end;
}

function answerIn(reply: string): string | undefined {
  const label = reply.indexOf(finalAnswer);
  return label < 0 ? undefined : reply.slice(label + finalAnswer.length).trim();
}

function replyToOne({ tools, question, steps }: ReactRequest): string {
  const said = smallTalk(question);
  if (said !== undefined) return finish("This needs no tool", said);
  const desk: Desk = { steps, calculator: tools.find(isCalculator), searches: searchTools(tools) };
  const calculation = readCalculation(question);
  return calculation ? workOut(calculation, question, desk) : lookUp(question, desk, answerWith);
}

/** The means to answer a question: its steps so far, and the tools by their purpose. */
interface Desk {
  readonly steps: readonly PastStep[];
  readonly calculator: ListedTool | undefined;
  readonly searches: readonly ListedTool[];
}

const standIn = "I am the offline stand-in, a set of rules and no language model: set a model for more.";

const finalAnswer = "\nFinal Answer:";

function finish(thought: string, answer: string): string {
  return ` ${thought}${finalAnswer} ${inOneLine(answer)}`;
}

function act(thought: string, tool: ListedTool, input: string): string {
  return ` ${inOneLine(thought)}\nAction: ${tool.name}\nAction Input: ${inOneLine(input)}`;
}

/** Puts a text in one line, without words that the protocol would read as labels. */
function inOneLine(text: string): string {
  return text
    .replaceAll(/\b(Thought|Action|Action Input|Observation|Final Answer)\s*[:：]/gi, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function answerWith(sentence: string): string {
  return finish("I now know the final answer", sentence);
}

function isCalculator({ name }: ListedTool): boolean {
  return /calc|math/i.test(name);
}

/** Returns the tools that search, documents before the web. */
function searchTools(tools: readonly ListedTool[]): ListedTool[] {
  const searching = tools.filter((tool) => /search|lookup|documents?|wiki|retriev/i.test(tool.name));
  const isDocuments = ({ name }: ListedTool) => /doc|knowledge|retriev/i.test(name);
  return [...searching.filter(isDocuments), ...searching.filter((tool) => !isDocuments(tool))];
}

/** Asks one search tool after the other, until one has a sentence that answers. */
function lookUp(wanted: string, { searches, steps, calculator }: Desk, found: (sentence: string) => string): string {
  for (const tool of searches) {
    const step = steps.find((past) => past.tool === tool.name);
    if (step === undefined) return act(`I need to look up ${searchWords(wanted)}.`, tool, searchWords(wanted));
    const sentence = bestSentence(step.observation, wanted);
    if (sentence !== undefined) return found(sentence);
  }
  const [problem] = steps.flatMap(({ observation }) => problemIn(observation) ?? []);
  if (problem !== undefined) return finish("The search does not work", `I could not look this up. ${problem}`);
  if (searches.length > 0)
    return finish("Nothing I found answers this", `I found nothing about this in what I can search. ${standIn}`);
  const can = calculator
    ? "I have no tool to look things up with here, only a calculator."
    : "I have no tools here, and know nothing by myself.";
  return finish("I have no tool for this", `${can} ${standIn}`);
}

/** Returns the problem that a person must solve before a search can work. */
function problemIn(observation: string): string | undefined {
  const failure = /^\S+ failed with \w+: (.+?)(?: Try another input|$)/s.exec(observation)?.[1];
  return failure ?? /^There are no documents here.*$/.exec(observation)?.[0];
}

/** In characters. */
const longestSearch = 300;

/** Turns a question into words for a search. It removes the words that ask, and an article at the beginning. */
export function searchWords(question: string): string {
  const words = withoutAsking(question)
    .replace(/^who(?:['’]s| is| was| are| were)\s+/i, "")
    .replace(/^(?:the|an?)\s+/i, "");
  return (words.replaceAll(/\s+/g, " ").trim() || question.trim()).slice(0, longestSearch);
}

function workOut(calculation: Calculation, question: string, desk: Desk): string {
  const { lookup } = calculation;
  if (lookup === undefined) return calculate(calculation, undefined, desk);
  return lookUp(lookup, desk, (sentence) => {
    const quantity = askedQuantity(sentence, lookup);
    if (quantity === undefined)
      return finish("There is no number to work with", `${sentence} I find no number in this to work with.`);
    const isThere = calculation.unit !== undefined && quantity.unit?.symbol === calculation.unit.symbol;
    return isThere ? answerWith(sentence) : calculate(calculation, quantity, desk, sentence || question);
  });
}

function calculate(
  calculation: Calculation,
  found: Quantity | undefined,
  { calculator, steps }: Desk,
  sentence = "",
): string {
  const expression = calculation.expression(found);
  if (expression === undefined)
    return finish("This cannot be converted", `${sentence} I do not know how to convert this.`);
  if (calculator === undefined)
    return finish("I have no calculator", `I have no calculator here to work out ${expression}. ${standIn}`);
  const step = steps.find((past) => past.tool === calculator.name);
  if (step === undefined) return act("I need to use a calculator for this.", calculator, expression);
  const [, result, note = ""] = numberWithNote.exec(step.observation.trim()) ?? [];
  if (result === undefined)
    return finish("The calculator gave no number", `I could not work out ${calculation.subject}. ${standIn}`);
  return answerWith(`${subjectOf(calculation, found)} is ${shown(result, calculation)}${note}.`);
}

/** A calculator's number, and what the calculator tells about it: ` (angles are in radians)`. */
const numberWithNote = /^(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)( \([^()]+\))?$/i;

function subjectOf({ subject }: Calculation, found: Quantity | undefined): string {
  const capital = subject.charAt(0).toUpperCase() + subject.slice(1);
  return found === undefined ? capital : `${capital} (${found.text})`;
}

/** Writes a result as people say it: rounded if more digits tell nothing, and with its unit. */
function shown(result: string, { unit }: Calculation): string {
  const number = Number(result.replaceAll(",", ""));
  const digits = unit?.dimension === "temperature" ? 1 : 4;
  const rounded = Number(
    Math.abs(number) < 1 && unit?.dimension !== "temperature" ? number.toPrecision(digits) : number.toFixed(digits),
  );
  const isExact = rounded === number;
  const text = isExact ? result : `about ${rounded}`;
  if (unit === undefined) return text;
  return `${text} ${unit.dimension === "temperature" ? unit.symbol : unit.name}`;
}
