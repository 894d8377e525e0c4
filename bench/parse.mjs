// Measures how many model replies a protocol's parser reads as they were meant, how many are asked again, and how many are
// misread in silence. bench/README.md describes the files of replies.
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { protocols } from "../dist/protocols/by-name.js";
import { callArguments } from "../dist/tool-inputs/tool-arguments.js";

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { protocol: { type: "string" }, show: { type: "boolean", default: false } },
});

if (files.length === 0) fail("usage: npm run bench:parse -- FILE.jsonl … [--protocol NAME] [--show]");

const results = files.flatMap((file) => measureFile(resolve(process.env.INIT_CWD ?? process.cwd(), file)));
if (options.show) for (const result of results.filter(({ outcome }) => outcome !== "exact")) show(result);
console.log(summary("all", results));

function measureFile(path) {
  const name =
    options.protocol ??
    basename(path)
      .replace(/\.jsonl$/, "")
      .replaceAll("_", "-");
  const protocol = protocols[name];
  if (!protocol)
    fail(`${path}: no protocol "${name}". Use --protocol with one of ${Object.keys(protocols).join(", ")}.`);
  const found = readItems(path).map((item) => judge(item, protocol.parse(item.text, item.tools)));
  console.log(summary(`${basename(path)} (${name})`, found));
  return found;
}

function summary(name, results) {
  const counts = ["exact", "asked", "silent"].map((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    return `${outcome === "asked" ? "asked again" : outcome} ${count} (${percent(count, results.length)} %)`;
  });
  return `${name}: ${results.length} items, ${counts.join(", ")}`;
}

function readItems(path) {
  try {
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .map((line, index) => ({ line, number: index + 1 }));
    return lines
      .filter(({ line }) => line.trim() !== "")
      .map(({ line, number }) => readItem(line, `${path}:${number}`));
  } catch (error) {
    fail(error.message);
  }
}

function readItem(line, place) {
  const item = JSON.parse(line);
  if (typeof item.text !== "string" || !Array.isArray(item.tools) || typeof item.expected?.kind !== "string") {
    throw new Error(`${place}: an item needs "text", "tools" and "expected" with a "kind".`);
  }
  return item;
}

/**
 * Compares a parsed reply with its label. Kind, tool and trimmed input or output must be the same. Inputs that are JSON
 * are compared as values. Of the others those do no harm after which the model is asked again: it is told that the reply cannot be
 * read, or that there is no such tool. The rest is silent: another answer is shown, or another call is made.
 */
function judge(item, parsed) {
  const { expected } = item;
  if (parsed.kind === expected.kind && sameContent(item, parsed)) return { item, parsed, outcome: "exact" };
  return { item, parsed, outcome: parsed.kind === "unparseable" || callsNone(item, parsed) ? "asked" : "silent" };
}

/** Tells whether no call of a reply is one of an offered tool. */
function callsNone({ tools }, parsed) {
  const names = tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
  return parsed.kind === "action" && parsed.actions.every(({ tool }) => !names.includes(tool));
}

function sameContent({ expected, tools }, parsed) {
  switch (expected.kind) {
    case "action": {
      const [action] = parsed.actions;
      const inputs = [expected.input, action.toolInput].map((input) => argumentsOf(expected.tool, input, tools));
      return action.tool === expected.tool && (sameInput(expected.input, action.toolInput) || sameInput(...inputs));
    }
    case "finish":
      return parsed.output.trim() === expected.output.trim();
    default:
      return true;
  }
}

/** Returns what the tool gets, by its schema if the item has it. */
function argumentsOf(tool, toolInput, tools) {
  const specs = tools.filter((spec) => typeof spec !== "string");
  return callArguments({ tool, toolInput }, specs);
}

function sameInput(expected, found) {
  if (typeof expected === "string" && typeof found === "string" && expected.trim() === found.trim()) return true;
  const [one, other] = [asJson(expected), asJson(found)];
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}

function asJson(input) {
  if (typeof input !== "string") return input;
  try {
    const value = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(",")}}`;
}

function show({ item, parsed, outcome }) {
  const tools = item.tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
  console.log(`\n--- ${outcome}: ${item.id ?? "item"} [${tools.join(", ")}]\n${item.text}`);
  console.log(`expected ${JSON.stringify(item.expected)}\nread as  ${JSON.stringify(withoutLog(parsed))}`);
}

function withoutLog(parsed) {
  return parsed.kind === "action" ? { ...parsed, actions: parsed.actions.map(({ log, ...action }) => action) } : parsed;
}

function percent(part, whole) {
  return whole === 0 ? "0.0" : ((100 * part) / whole).toFixed(1);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
