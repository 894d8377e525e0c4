// Measures how soon a reply goes out while a model writes it, and what that costs. A token is a word with the space before
// it. bench/README.md describes the files of replies.
import { readdirSync, readFileSync } from "node:fs";
import { createAgent, streamTurn } from "../dist/index.js";
import { protocols } from "../dist/protocols/by-name.js";
import { fencedProtocol } from "../dist/protocols/fenced-protocol.js";
import { scriptedModel } from "../dist/testing/index.js";

const folder = new URL("../test/fixtures/replies/", import.meta.url);
const tokensOf = (text) => text.match(/\s*\S+|\s+$/g) ?? [];

/** Reads a reply token by token. Returns the number of the token with which the first piece of a kind came. */
function firstPiece(protocol, tools, tokens, kind) {
  const reader = fencedProtocol(protocol).reader(tools);
  let text = "";
  for (const [number, token] of tokens.entries()) {
    text += token;
    if (reader.push(text).pieces.some((piece) => piece.kind === kind)) return number;
  }
  return undefined;
}

function delays() {
  const waits = [];
  let unmarked = 0;
  for (const file of readdirSync(folder)) {
    const protocol = protocols[file.replace(".jsonl", "").replaceAll("_", "-")];
    // Other files hold replies of several protocols.
    if (protocol === undefined) continue;
    for (const line of readFileSync(new URL(file, folder), "utf8").split("\n").filter(Boolean)) {
      const { text, tools } = JSON.parse(line);
      const read = protocol.parse(text, tools);
      if (read.kind !== "finish") continue;
      const tokens = tokensOf(text);
      const specs = tools.map((name) => ({ name, description: "" }));
      const sent = firstPiece(protocol, specs, tokens, "answer");
      const begins = text.lastIndexOf(read.output.slice(0, 20));
      if (sent === undefined || begins < 0) unmarked += 1;
      else waits.push(sent - firstTokenAt(tokens, begins));
    }
  }
  return { waits: waits.sort((a, b) => a - b), unmarked };
}

/** Returns the number of the token that holds a place. */
function firstTokenAt(tokens, place) {
  let end = 0;
  return tokens.findIndex((token) => {
    end += token.length;
    return end > place;
  });
}

/** Returns the microseconds for a token of an answer of so many tokens. */
function cost(protocol, opening, count) {
  const words = Array.from({ length: count }, (_, n) => (n % 15 === 14 ? " line.\nNext" : " word"));
  const reader = fencedProtocol(protocol).reader([{ name: "search", description: "" }]);
  let text = opening;
  const began = performance.now();
  for (const word of words) {
    text += word;
    reader.push(text);
  }
  return ((performance.now() - began) * 1000) / count;
}

/** Returns the milliseconds from the first text of a model to the first event with text of it. */
async function timeToFirstText() {
  const times = [];
  for (let n = 0; n < 30; n += 1) {
    let written;
    const model = scriptedModel(["The answer is four, and that is all."]);
    const stream = model._streamResponseChunks.bind(model);
    model._streamResponseChunks = async function* (...parameters) {
      for await (const chunk of stream(...parameters)) {
        written ??= performance.now();
        yield chunk;
      }
    };
    for await (const { type } of streamTurn(createAgent({ model }), { messages: "What is 2 + 2?" })) {
      if (type === "answer-delta") {
        times.push(performance.now() - written);
        break;
      }
    }
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

const { waits, unmarked } = delays();
const share = ((100 * unmarked) / (waits.length + unmarked)).toFixed(0);
console.log(
  `tokens from the first of an answer to its event: median ${waits[Math.floor(waits.length / 2)]}, most ${waits.at(-1)}, ` +
    `none in ${waits.filter((wait) => wait <= 0).length} of ${waits.length}`,
);
console.log(`answers that are known only at the end: ${unmarked} (${share} %)`);
console.log(`from a model's first text to its event: ${(await timeToFirstText()).toFixed(1)} ms`);
for (const [name, opening] of [
  ["react", "Final Answer:"],
  ["structured-chat", 'Action:\n{"action": "Final Answer", "action_input": "'],
  ["tool-calling", ""],
]) {
  const costs = [1000, 8000].map((count) => cost(protocols[name], opening, count).toFixed(1));
  console.log(`${name}: ${costs.join(" and ")} µs a token in answers of 1,000 and 8,000 tokens`);
}
