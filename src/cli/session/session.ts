import type { Agent } from "../../agent/create-agent.js";
import { defaultMaxSteps } from "../../agent/limits/recursion-limit.js";
import type { Timeouts } from "../../model/index.js";
import { type ProtocolName, protocolChoices } from "../../protocols/names.js";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl, modelName } from "../program/addresses.js";
import { type AgentCommandOptions, defaultTools } from "../program/agent-command.js";
import { UsageError } from "../program/exit-codes.js";
import { loadMcpTools } from "./load-mcp-tools.js";
import { loadNamedModel } from "./load-named-model.js";
import { loadTools } from "./load-tools.js";

/** An agent at work on one thread. */
export interface Session extends AsyncDisposable {
  readonly agent: Agent;
  /** The names of the agent's tools. */
  readonly toolNames: readonly string[];
  readonly threads: Threads;
  readonly thread: string;
  /** The model's name, as it was given. */
  readonly model: string;
  /** The address of the database, as it was given. */
  readonly database: string;
  /** The options to give again when the thread goes on, by name. */
  readonly choices: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes the agent that a command's options describe, and opens its thread. All mistakes in the options are found before
 * a database is made.
 *
 * @param thread The thread's id, which was checked.
 */
export async function openSession(thread: string, options: AgentCommandOptions, env: Io["env"]): Promise<Session> {
  const protocol = readProtocol(options.protocol);
  const database = databaseUrl(options.db, env);
  const model = modelName(options.model, env);
  if (model === "offline" && protocol === "tool-calling") {
    throw new UsageError(
      '--protocol: the offline rules make no native tool calls, which "tool-calling" needs. Name a language model with --model, or give another protocol.',
    );
  }
  const [models, tools, { createAgent }, { openThreads }] = await Promise.all([
    Promise.all(model.split(",").map((name) => loadNamedModel(name.trim(), options.baseUrl, env))),
    loadTools(options.tools, { docs: options.docs, database, env }),
    import("../../agent/create-agent.js"),
    import("../../threads/open.js"),
  ]);
  const mcp = options.mcp === undefined ? undefined : await loadMcpTools(options.mcp, env);
  const closing: Partial<AsyncDisposable>[] = [...tools, ...(mcp === undefined ? [] : [mcp])];
  async function close(): Promise<void> {
    await Promise.all(closing.map((open) => open[Symbol.asyncDispose]?.()));
  }
  try {
    const threads = await openThreads(database);
    closing.push(threads);
    const allTools = [...tools, ...(mcp?.tools ?? [])];
    const agent = createAgent({
      model: models,
      timeouts: timeoutsOf(options),
      tools: allTools,
      ...(protocol ? { protocol } : {}),
      maxSteps: options.maxSteps,
      approve: options.approve,
      checkpointer: threads.checkpointer,
    });
    const toolNames = allTools.map(({ name }) => name);
    const choices = choicesOf(options);
    return { agent, toolNames, threads, thread, model, database, choices, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The time limits of model calls, which the options give in seconds. */
function timeoutsOf({ firstTokenTimeout, tokenTimeout, timeout }: AgentCommandOptions): Timeouts {
  return {
    ...(firstTokenTimeout !== undefined && { firstTokenMs: firstTokenTimeout * 1_000 }),
    ...(tokenTimeout !== undefined && { betweenTokensMs: tokenTimeout * 1_000 }),
    ...(timeout !== undefined && { totalMs: timeout * 1_000 }),
  };
}

/** Returns the options that differ from the default, by name. */
function choicesOf({ tools, maxSteps, ...options }: AgentCommandOptions): Session["choices"] {
  const toolNames = tools.join(",") || "none";
  return {
    model: options.model,
    "base-url": options.baseUrl,
    protocol: options.protocol === "auto" ? undefined : options.protocol,
    docs: options.docs,
    tools: toolNames === defaultTools.join(",") ? undefined : toolNames,
    mcp: options.mcp,
    "max-steps": maxSteps === defaultMaxSteps ? undefined : String(maxSteps),
    "first-token-timeout": options.firstTokenTimeout?.toString(),
    "token-timeout": options.tokenTimeout?.toString(),
    timeout: options.timeout?.toString(),
    approve: options.approve === "never" ? undefined : options.approve,
  };
}

/** Finds a protocol by its name; undefined leaves the choice to the agent. */
function readProtocol(name: string): ProtocolName | undefined {
  const choice = protocolChoices.find((known) => known === name);
  if (choice) return choice === "auto" ? undefined : choice;
  throw new UsageError(`--protocol: there is no protocol "${name}". Give one of: ${protocolChoices.join(", ")}.`);
}
