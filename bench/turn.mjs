// Draws docs/turn.svg, the picture of a turn in the README, from the events of a run. With --check it writes nothing, and
// fails if the picture is not that of this run.
import { readFileSync, writeFileSync } from "node:fs";
import { calculator, createAgent, documentSearch, openThreads } from "../dist/index.js";
import { scriptedModel } from "../dist/testing/index.js";

const question = "What is the square root of the world record time for a Rubik's Cube?";
const picture = new URL("../docs/turn.svg", import.meta.url);

/** Runs the turn. Returns a row for each node that ran, with the events that came from it. */
async function runTurn() {
  const model = scriptedModel([
    { tool_calls: [{ name: "document_search", args: { query: "Rubik's Cube world record" } }] },
    { tool_calls: [{ name: "calculator", args: { expression: "sqrt(3.05)" } }] },
    "About 1.75, as the record is 3.05 seconds [1].",
  ]);
  const tools = [calculator(), documentSearch({ folder: "knowledge" })];
  const threads = await openThreads("memory:");
  const agent = createAgent({ model, tools, checkpointer: threads.checkpointer });
  const config = { configurable: { thread_id: "turn" }, streamMode: ["custom", "updates"] };
  const rows = [];
  let events = [];
  for await (const [mode, chunk] of await agent.stream({ messages: question }, config)) {
    if (mode === "custom") events.push(chunk);
    else {
      rows.push({ node: Object.keys(chunk)[0], words: events.flatMap(wordsOf) });
      events = [];
    }
  }
  rows.at(-1).words.push(...events.flatMap(wordsOf));
  await threads.close();
  for (const tool of tools) tool.close?.();
  return rows;
}

/** Tells an event in a few words, if the picture shows it. */
function wordsOf(event) {
  switch (event.type) {
    case "turn-start":
      return [`question: ${event.asked}`];
    case "model-end":
      return [`model-end: ${event.inputTokens} tokens in, ${event.outputTokens} out`];
    case "action":
      return [`action: ${event.tool} ${JSON.stringify(event.toolInput)}`];
    case "observation":
      return [`observation: ${event.text.replaceAll(/\s+/g, " ").slice(0, 62)}${event.text.length > 62 ? "…" : ""}`];
    case "answer":
      return [`answer: ${event.text}`];
    case "turn-end":
      return [`turn-end: ${event.stopReason}`];
    default:
      return [];
  }
}

function drawn(rows) {
  const line = 17;
  let y = 44;
  const parts = rows.map(({ node, words }) => {
    const height = Math.max(words.length, 1) * line + 13;
    const top = y;
    y += height + 8;
    const texts = words.map((text, at) => `<text x="208" y="${top + 20 + at * line}">${escaped(text)}</text>`);
    return [
      `<rect x="24" y="${top}" width="150" height="${height}" rx="6" fill="${colours[node] ?? "#e8e8e8"}"/>`,
      `<text x="99" y="${top + height / 2 + 4}" text-anchor="middle" font-weight="600">${node}</text>`,
      `<circle cx="190" cy="${top + height}" r="3.5" fill="#2a7"/>`,
      ...texts,
    ].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${y + 4}" font-family="system-ui, sans-serif" font-size="13">
<title>A turn: each node that ran, and what it told</title>
<rect width="760" height="${y + 4}" fill="#fff"/>
<text x="24" y="26" fill="#555">node</text><text x="208" y="26" fill="#555">events</text>
<circle cx="600" cy="22" r="3.5" fill="#2a7"/><text x="610" y="26" fill="#555">saved on the thread</text>
<path d="M190 ${44}V${y - 8}" stroke="#2a7"/>
${parts.join("\n")}
</svg>
`;
}

const colours = { "rephrase-question": "#e8e8e8", plan: "#d9e8ff", parse: "#fff1cc", act: "#dcf5dc" };

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const current = drawn(await runTurn());
if (!process.argv.includes("--check")) writeFileSync(picture, current);
else if (readFileSync(picture, "utf8") !== current) {
  console.error(
    "docs/turn.svg is not the picture of this run. Make it anew: npm run --silent build && node bench/turn.mjs",
  );
  process.exitCode = 1;
}
