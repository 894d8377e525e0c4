// Shows that the time of parsing grows only in proportion to a reply's length, for replies of any shape. Checks that
// 1 MB takes under 100 ms.
import { protocols } from "../dist/protocols/by-name.js";

const longest = 1_000_000;
const limit = 100;
const lengths = [longest / 4, longest / 2, longest];
const tools = ["search", "Calculator", "Get Issues", "Giphy: Find GIF"];

/** The pieces that replies are filled with. Each is a text that a part of a parser could read again and again. */
const pieces = {
  "one letter": "a",
  spaces: " ",
  "empty lines": "\n",
  words: "the quick brown fox jumps over the lazy dog. ",
  "short lines": "ab:\n",
  colons: ":",
  thoughts: "Thought: I should think\n",
  "thoughts on one line": "Thought: I should think ",
  "actions without input": "Action: search\n",
  "actions on one line": "Action: search ",
  "actions and no tool": "Action: nonsense\nAction Input: none\n",
  "actions of None": "Action: None\nAction Input: None\n",
  "inputs without action": "Action Input: x\n",
  "inputs that open braces": "Action: None\nAction Input: {\n",
  "inputs that open fences": "Action: None\nAction Input: ```python\nx = 1 ```\n",
  "empty answers": "Final Answer:\n",
  "answers in words": "my final answer is the Final Answer ",
  observations: "Observation: x\n",
  "open braces": "{",
  "open brackets": "[",
  "open braces on lines": "{\n",
  "open JSON": '{"action": "search", ',
  "open texts": '{"a": "',
  "closed objects": '{"a": 1}\n',
  "broken objects": "{'action': search, }\n",
  "nested objects": '{"action":',
  quotes: '"',
  "single quotes": "'",
  backslashes: "\\",
  backticks: "`",
  fences: "```\n",
  asterisks: "*",
  "bold labels": "**Thought:** x\n",
  hashes: "#",
  "numbered lines": "1. Thought: x\n",
  digits: "1",
  tags: "<tool>",
  parameters: "<parameter=x>",
  "thinking opened": "<think>",
  "thinking closed": "</think>",
  "template tokens": "<|im_start|>user\nx<|im_end|>\n",
  "calls on lines": "search(\n",
  "brackets on lines": "search[\n",
  "calls on one line": "search(x, ",
  "follow ups without question": "Follow up:\n",
  "follow ups on one line": "Yes. Follow up: ",
  Chinese: "思考：我需要搜索\n",
  "full-width colons": "：",
  emoji: "🤔",
  "combining marks": "e\u0301\u0301",
  "dollar signs": "$TOOL_NAME ",
  refusals: "I'm sorry, I cannot ",
  plans: "I need to search. ",
  commas: ",",
  "tool names": "Get Issues ",
  "carriage returns": "\r\n",
};

let worst = 0;
console.log(
  `${"shape".padEnd(30)}${lengths.map((length) => `${length / 1000} KB`.padStart(12)).join("")}   slowest protocol`,
);
for (const [shape, piece] of Object.entries(pieces)) {
  for (const frame of [
    (text) => text,
    (text) => `Thought: x\nAction: search\nAction Input: ${text}`,
    (text) => `Final Answer: ${text}`,
  ]) {
    measureShape(shape, (length) => frame(piece.repeat(Math.ceil(length / piece.length))).slice(0, length));
  }
}
console.log(`slowest reply of ${longest / 1e6} MB: ${worst.toFixed(1)} ms (limit ${limit} ms)`);
if (worst >= limit) process.exit(1);

function measureShape(shape, make) {
  const rows = Object.entries(protocols).map(([name, protocol]) => ({
    name,
    times: lengths.map((length) => time(protocol, make(length))),
  }));
  const slowest = rows.reduce((one, other) => (other.times.at(-1) > one.times.at(-1) ? other : one));
  worst = Math.max(worst, slowest.times.at(-1));
  const cells = slowest.times.map((milliseconds) => `${milliseconds.toFixed(1)} ms`.padStart(12)).join("");
  console.log(`${shape.padEnd(30)}${cells}   ${slowest.name}`);
}

/** Returns the best time of three, in processor time. Other work of the machine does not count in it. */
function time(protocol, text) {
  const runs = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    protocol.parse(text, tools);
    return process.cpuUsage(start).user / 1000;
  });
  return Math.min(...runs);
}
