import { Option } from "@commander-js/extra-typings";
import { approvePolicies } from "../../middleware/approvals/policy-names.js";
import { defaultMaxSteps } from "../../middleware/limits/limit-values.js";
import { protocolChoices } from "../../protocols/names.js";
import { type ToolName, toolNames } from "../../tools/named-tools.js";
import { defaultOpenAIModel } from "./addresses.js";
import { defaultFlow, flowWords, readFlow } from "./retrieval-flow.js";
import * as read from "./setting-readers.js";

export const defaultTools: readonly ToolName[] = ["calculator", "documents"];

/** A setting of an agent: an option of commands, a line of the config file, a variable, and a text that a thread keeps. */
export interface Setting<Value = unknown> {
  /** The name of the option and of the line, such as `max-steps`. */
  readonly name: string;
  readonly flags: string;
  readonly help: string;
  /** Reads its text. @throws InvalidArgumentError that says what is possible. */
  readonly read: (text: string) => Value;
}

/** The settings of an agent, in the order of the help text. */
export const settings = {
  model: setting(
    "-m, --model <name>",
    '"openai:NAME", "PROVIDER:NAME", or "offline": a set of rules, not a language model; ' +
      "with commas between several, each is asked when the one before it failed " +
      `(default: "${defaultOpenAIModel}" if OPENAI_API_KEY is set, else "offline")`,
    String,
  ),
  baseUrl: setting(
    "--base-url <url>",
    "the model's server, such as http://127.0.0.1:11434/v1 for Ollama; it needs no key (env: OPENAI_BASE_URL)",
    String,
  ),
  protocol: setting(
    "--protocol <name>",
    `how the agent and the model talk: ${protocolChoices.join(", ")} (default: "auto")`,
    read.protocol,
  ),
  tools: setting(
    "--tools <names>",
    `the tools of the agent: ${toolNames.join(", ")}, with commas; or "none" (default: ${defaultTools.join(",")})`,
    read.tools,
  ),
  approve: setting(
    "--approve <policy>",
    `the calls that you decide on: ${approvePolicies.join(", ")}; "effects" are those of tools with effects ` +
      '(default: "effects" if stdin is a terminal, where somebody can decide, else "never")',
    read.approval,
  ),
  docs: setting(
    "--docs <dir>",
    "the folder of Markdown and text files to search (default: the sample documents of Glassloop)",
    String,
  ),
  embeddings: setting(
    "--embeddings <name>",
    '"openai:NAME": an embedding model, to find passages of the documents by their meaning, too',
    String,
  ),
  embeddingsUrl: setting(
    "--embeddings-url <url>",
    "the server of the embedding model, such as http://127.0.0.1:11434/v1; it needs no key (env: OPENAI_BASE_URL)",
    String,
  ),
  retrieval: setting("--retrieval", "answer only from the documents, and cite them", read.trueOrFalse),
  flow: setting(
    "--flow <words>",
    `the retrieval flow of --retrieval: some of ${flowWords.join(", ")}, with commas (default: ${defaultFlow})`,
    readFlow,
  ),
  mcp: setting("--mcp <file>", "the servers of an .mcp.json, whose tools join the others", String),
  system: setting("--system <text>", "who the agent is, and how it answers", String),
  memory: setting(
    "--memory <kind>",
    'the earlier turns in prompts: "buffer" (all), "window:TURNS", "tokens:TOKENS", "summary:TURNS" (default: "buffer")',
    read.memory,
  ),
  date: setting("--date", "tell the model the day", read.trueOrFalse),
  temperature: setting("--temperature <number>", "the temperature of the model, from 0 to 2", read.temperature),
  maxReplyTokens: setting("--max-reply-tokens <number>", "the highest number of tokens in a reply", read.count),
  stream: setting("--no-stream", "ask for each reply in one piece, for a server that cannot stream", read.trueOrFalse),
  maxSteps: setting(
    "--max-steps <number>",
    `the highest number of steps of a turn (default: ${defaultMaxSteps})`,
    read.count,
  ),
  maxModelCalls: setting("--max-model-calls <number>", "the highest number of model calls of a turn", read.count),
  maxTokens: setting(
    "--max-tokens <number>",
    "the highest number of tokens of a turn, in prompts and replies",
    read.count,
  ),
  maxDollars: setting(
    "--max-dollars <number>",
    "the highest cost of a turn in US dollars, by list prices; the price of the model must be known",
    read.dollars,
  ),
  maxTime: setting("--max-time <seconds>", "the longest working time of a turn (default: 3600)", read.seconds),
  firstTokenTimeout: setting(
    "--first-token-timeout <seconds>",
    "the longest wait for the first token of a reply (default: 120)",
    read.seconds,
  ),
  tokenTimeout: setting(
    "--token-timeout <seconds>",
    "the longest wait between two tokens of a reply (default: 60)",
    read.seconds,
  ),
  timeout: setting(
    "--timeout <seconds>",
    "the longest time of a model call with its retries (default: 600)",
    read.seconds,
  ),
} as const;

export const allSettings: readonly Setting[] = Object.values(settings);

/** The texts of settings, by their names. */
export type SettingTexts = Readonly<Record<string, string>>;

function setting<Value>(flags: string, help: string, read: (text: string) => Value): Setting<Value> {
  return { name: flags.replace(/^.*--(?:no-)?| .*$/g, ""), flags, help, read };
}

/** Tells whether a setting is one of true and false. Its option takes no text then. */
function isFlag({ flags }: Setting): boolean {
  return !flags.includes("<");
}

/**
 * Makes the options of commands for settings. An option is validated here but keeps its text, because a thread and the config
 * file keep texts, too.
 */
export function settingOptions(chosen: readonly Setting[] = allSettings): Option[] {
  return chosen.flatMap((setting) => {
    const { flags, help } = setting;
    if (!isFlag(setting)) return [textOption(setting)];
    const [on, off] = [`--${setting.name}`, `--no-${setting.name}`];
    // Without the other one, the option would have a default.
    const others = setting === settings.retrieval ? ["tools", "protocol", "approve", "mcp", "maxSteps"] : [];
    const options = [new Option(on, help).conflicts(others), new Option(off, help)];
    return options.map((option) => option.hideHelp(option.long !== flags));
  });
}

function textOption(setting: Setting): Option {
  const option = new Option(setting.flags, setting.help).argParser((text) => checkedText(setting, text));
  return setting === settings.flow ? option.implies({ retrieval: true }) : option;
}

/** An empty text brings back the default. */
function checkedText({ name, read }: Setting, text: string): string {
  if (text !== "" || name === settings.model.name) read(text);
  return text;
}

/** Returns the settings among the options that a person typed. */
export function typedSettings(options: object): SettingTexts {
  const typed = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    allSettings.flatMap(({ name }) => {
      const value = typed.get(name.replace(/-./g, (letter) => letter.slice(1).toUpperCase()));
      const text = Array.isArray(value) ? value.join("\n") : value;
      return typeof text === "string" || typeof text === "boolean" ? [[name, String(text)]] : [];
    }),
  );
}

/** Returns the models of a text, each with those that are asked after its failure. A server offers several, one in each line. */
export function offeredModels(text: string): string[][] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.split(",").map((name) => name.trim()));
}

/** Writes a setting as a person types it; nothing if it has no text. */
export function typedWords(setting: Setting, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (!isFlag(setting)) return [`--${setting.name}`, text];
  return [text === "true" ? `--${setting.name}` : `--no-${setting.name}`];
}

/** Returns the name of a setting's variable, such as `GLASSLOOP_MAX_STEPS`. */
export function variableOf(name: string): string {
  return `GLASSLOOP_${name.toUpperCase().replaceAll("-", "_")}`;
}
