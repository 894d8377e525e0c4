import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { defaultMaxSteps } from "../../agent/limits/recursion-limit.js";
import { approvePolicies, type PolicyName } from "../../agent/policy-names.js";
import { protocolChoices } from "../../protocols/names.js";
import { type ToolName, toolNames } from "../../tools/named-tools.js";
import type { Io } from "../io.js";
import { defaultDatabase, defaultOpenAIModel } from "./addresses.js";
import { programCommand } from "./program-command.js";

export const defaultTools: ToolName[] = ["calculator", "documents"];

/** Makes a command with the options of an agent and of its view. */
export function agentCommand(name: string, io: Io) {
  return programCommand(name, io)
    .option(
      "-m, --model <name>",
      '"openai:NAME", "PROVIDER:NAME", or "offline": a set of rules, not a language model ' +
        "with commas between several, each is asked when the one before it failed " +
        `(env: GLASSLOOP_MODEL, default: "${defaultOpenAIModel}" if OPENAI_API_KEY is set, else "offline")`,
    )
    .option(
      "--base-url <url>",
      "the model's server, such as http://127.0.0.1:11434/v1 for Ollama; it needs no key (env: OPENAI_BASE_URL)",
    )
    .option("--protocol <name>", `how the agent and the model talk: ${protocolChoices.join(", ")}`, "auto")
    .addOption(
      new Option("--tools <names>", `the tools of the agent: ${toolNames.join(", ")}, with commas; or "none"`)
        .argParser(readToolNames)
        .default<ToolName[]>(defaultTools, defaultTools.join(",")),
    )
    .addOption(
      new Option(
        "--approve <policy>",
        `the calls that you decide on: ${approvePolicies.join(", ")}; "effects" are those of tools with effects`,
      )
        .choices(approvePolicies)
        .default<PolicyName>(
          io.stdin.isTTY ? "effects" : "never",
          '"effects" if stdin is a terminal, where somebody can decide, else "never"',
        ),
    )
    .option(
      "--docs <dir>",
      "the folder of Markdown and text files to search (default: the sample documents of Glassloop)",
    )
    .option("--mcp <file>", "the servers of an .mcp.json, whose tools join the others")
    .addOption(databaseOption())
    .option("-t, --thread <id>", "go on with this thread, or start it under this id (default: a new one)")
    .option("--max-steps <number>", "the most steps of a turn", readCount, defaultMaxSteps)
    .option(
      "--first-token-timeout <seconds>",
      "the longest wait for the first token of a reply (default: 120)",
      readCount,
    )
    .option("--token-timeout <seconds>", "the longest wait between two tokens of a reply (default: 60)", readCount)
    .option("--timeout <seconds>", "the longest time of a model call, with its new tries (default: 600)", readCount)
    .option("--json", "print one JSON object per line for each thing that happens, errors too")
    .addOption(new Option("-q, --quiet", "print only answers and errors").conflicts("verbose"))
    .option("--verbose", "print each whole prompt to the model, and each whole reply");
}

export type AgentCommandOptions = ReturnType<ReturnType<typeof agentCommand>["opts"]>;

/** Makes the option for the database of the threads. */
export function databaseOption() {
  return new Option(
    "--db <url>",
    `the database of the threads: "sqlite:PATH", "postgres://…", or "memory:" to keep none (env: GLASSLOOP_DB, default: "${defaultDatabase}")`,
  );
}

/** Reads a whole number of at least 1. */
export function readCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of at least 1.");
}

function readToolNames(text: string): ToolName[] {
  if (text.trim() === "none") return [];
  return [...new Set(text.split(",").map((name) => readToolName(name.trim())))];
}

function readToolName(text: string): ToolName {
  const name = toolNames.find((possible) => possible === text);
  if (name) return name;
  throw new InvalidArgumentError(`"${text}" is no tool. Give some of ${toolNames.join(",")}, or none.`);
}
