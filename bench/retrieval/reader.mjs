// A model that reads passages by rules. It finds a fact of the corpus in a passage about the right thing, and nothing else,
// so a wrong answer is a fault of the flow. The eager variant never says that it does not know, as weak models do.
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { questionAsked, valueIn } from "./corpus.mjs";

/** A chat model that counts its calls, and its tokens as a quarter of the characters. */
export class ReaderModel extends SimpleChatModel {
  spent = { calls: 0, tokens: 0 };

  constructor(isEager) {
    super({});
    this.isEager = isEager;
  }

  _llmType() {
    return "reader";
  }

  async _call(messages) {
    const prompt = messages.map(({ text }) => text).join("\n\n");
    const reply = read(prompt, this.isEager);
    this.spent.calls += 1;
    this.spent.tokens += Math.ceil((prompt.length + reply.length) / 4);
    return reply;
  }
}

const notKnown = "I do not know.";

/** Returns the reply to the text of a prompt, of ours or of LangChain's chains. */
function read(prompt, isEager) {
  const rule = rules.find(([begin]) => begin.test(prompt));
  if (rule === undefined) throw new Error(`The reader does not know this prompt: ${prompt.slice(0, 200)}`);
  return rule[1](prompt, isEager);
}

const rules = [
  [/^Given the following conversation/, rephrase],
  [/^Answer the question from the passages/, (prompt, isEager) => answer(prompt, isEager)],
  [/^Write the draft of an answer/, (prompt, isEager) => answer(prompt, isEager)],
  [/^Copy from a passage/, (prompt) => facts(prompt)[0]?.sentence ?? "NOTHING"],
  [/^Answer a question from one passage/, scored],
  [/^Tell which passages help/, grade],
  [/^Check an answer/, check],
  [/^Write another search query/, (prompt) => `facts about ${nameIn(prompt)}`],
  [
    /^Write \d other wordings/,
    (prompt) => `What is known about ${nameIn(prompt)}?\n${nameIn(prompt)} history and numbers`,
  ],
  [/^Write a more general/, (prompt) => `What is known about ${nameIn(prompt)}?`],
  [/^Split a question/, (prompt) => questionIn(prompt)],
  [/^Write a short passage/, (prompt) => `${nameIn(prompt)} is well known. It was founded long ago.`],
  [/^Decide where to search/, () => "documents, one"],
  [/^Tell whether the passages are enough/, () => "ENOUGH"],
  [/^Use the following pieces of context/, (prompt, isEager) => answer(prompt, isEager)],
];

function answer(prompt, isEager) {
  const [found] = facts(prompt);
  if (found) return `${found.sentence}${found.number ? ` [${found.number}]` : ""}`;
  const draft = /^(?:Draft|Answer so far): (.*)$/m.exec(prompt)?.[1];
  if (draft && draft !== notKnown) return draft;
  const [first] = passagesIn(prompt);
  return isEager && first ? `${first.text.split(". ")[0]}.${first.number ? ` [${first.number}]` : ""}` : notKnown;
}

function scored(prompt, isEager) {
  const [found] = facts(prompt);
  return found
    ? `${found.sentence} [${found.number}]\nScore: 95`
    : `${answer(prompt, isEager)}\nScore: ${isEager ? 20 : 0}`;
}

/** A passage helps if it is about the thing that is asked about: this grader does not look for the fact. */
function grade(prompt) {
  const name = nameIn(prompt);
  const kept = passagesIn(prompt).filter(({ text }) => text.includes(name));
  return kept.map(({ number }) => number).join(", ") || "none";
}

function check(prompt) {
  const said = /^Answer: ([\s\S]*?)\n\n/m.exec(prompt)?.[1] ?? "";
  if (said.startsWith(notKnown)) return "YES";
  return facts(prompt).some(({ value }) => said.includes(value)) ? "YES" : "NO: the passages do not say that";
}

function rephrase(prompt) {
  const followUp = /Follow Up Input: (.*)/.exec(prompt)?.[1] ?? "";
  const earlier = prompt.slice(0, prompt.lastIndexOf("Follow Up Input:"));
  const names = [...earlier.matchAll(/^(?:Q|Human|human|user): (.*)$/gm)].map(
    ([, question]) => questionAsked(question)?.name,
  );
  return followUp.replace(/\bthat one\b/, names.findLast((name) => name !== undefined) ?? "that one");
}

/** Finds the fact that is asked for in the passages of a prompt. */
function facts(prompt) {
  const asked = questionAsked(questionIn(prompt));
  if (asked === undefined) return [];
  return passagesIn(prompt).flatMap(({ number, text }) => {
    const found = valueIn(text, asked);
    return found ? [{ number, ...found }] : [];
  });
}

function nameIn(prompt) {
  const question = questionIn(prompt);
  return questionAsked(question)?.name ?? /\b[A-Z]\w+(?: [A-Z]\w+)?(?=[^A-Z]*$)/.exec(question)?.[0] ?? question;
}

function questionIn(prompt) {
  return (
    [...prompt.matchAll(/^(?:Question|Standalone question): (.+)$/gm)].at(-1)?.[1] ??
    prompt.trim().split("\n").at(-1) ??
    ""
  );
}

function passagesIn(prompt) {
  const ours = /^Passages:\n\n([\s\S]*?)\n\n(?:Answer|Draft|Question|Queries)/m.exec(prompt)?.[1];
  if (ours !== undefined) {
    return ours.split(/\n\n(?=\[\d+\] )/).map((text) => ({ number: Number(/^\[(\d+)\]/.exec(text)?.[1]), text }));
  }
  const [, theirs = ""] = /-{10,}\n([\s\S]*)\n/.exec(prompt) ?? [];
  return theirs.split("\n\n").map((text) => ({ number: 0, text }));
}
