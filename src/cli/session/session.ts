import { randomUUID } from "node:crypto";
import type { Agent } from "../../graph/agent.js";
import { checkThreadId } from "../../graph/thread-id.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { ChosenSettings } from "../program/chosen-settings.js";
import { UsageError } from "../program/exit-codes.js";
import type { AgentOptions } from "../program/options.js";
import { defaultFlow, readFlow, retrievalAgent } from "../program/retrieval-flow.js";
import { allSettings, defaultTools, settings, typedSettings, typedWords } from "../program/settings.js";
import { agentSettings } from "./agent-settings.js";
import { findThread, isStillToMake, lastThread, threadToGoOnWith } from "./kept-threads.js";
import { loadMcpTools, loadTools } from "./load-tools.js";
import { embeddingServer, modelServer, tellWithheld } from "./server.js";

/** An agent at work on one thread, for a person or a pipe. */
export interface Session extends AsyncDisposable {
  readonly io: Io;
  readonly options: AgentOptions;
  readonly agent: Agent;
  /** The names of the agent's tools. */
  readonly toolNames: readonly string[];
  readonly threads: Threads;
  readonly thread: string;
  /** The thread as it was when the session began; undefined if it is a new one. */
  readonly found: ThreadSummary | undefined;
  /** The model's name, as it was given. */
  readonly model: string;
  /** The address of the database, as it was given. */
  readonly database: string;
  readonly chosen: ChosenSettings;
  /** The options to give again when the thread goes on. */
  readonly again: readonly string[];
}

/** Opens a session on the thread that a command's options name, or else on a new one. */
export function openSession(options: AgentOptions, io: Io): Promise<Session> {
  const { thread, continue: goesOn = false } = options;
  if (thread !== undefined) checkThreadId(thread);
  const find = async (threads: Threads) => (thread === undefined ? undefined : threadToGoOnWith(threads, thread));
  return open(options, io, goesOn ? lastThread : find, !goesOn);
}

/** Opens a session on a thread that must be there. Its id, or the beginning of it, is an argument of the command. */
export function openKeptSession(id: string, options: AgentOptions, io: Io) {
  if (options.thread !== undefined || options.continue)
    throw new UsageError("Give the thread's id alone, without --thread or --continue.");
  return open(options, io, (threads) => findThread(threads, id), false);
}

/** All mistakes in options and settings are found before a database is made. */
async function open<Found extends ThreadSummary | undefined>(
  options: AgentOptions,
  io: Io,
  find: (threads: Threads) => Promise<Found>,
  makesDatabase: boolean,
): Promise<Session & { readonly found: Found }> {
  const database = databaseUrl(options.db, io);
  const typed = typedSettings(options);
  const chosen = new ChosenSettings(typed, io);
  const opened: Partial<AsyncDisposable>[] = [];
  const close = async () => {
    await Promise.all(opened.map((one) => one[Symbol.asyncDispose]?.()));
  };
  try {
    const { agentOn, ...described } = await describedAgent(chosen, database, io, opened);
    const { openThreads } = await import("../../threads/open.js");
    const threads = await openThreads(makesDatabase || !isStillToMake(database) ? database : "memory:");
    opened.push(threads);
    const found = await find(threads);
    const again = allSettings.flatMap((setting) => typedWords(setting, typed[setting.name]));
    return {
      ...described,
      ...{ io, options, chosen, database, threads, found, again },
      thread: found?.id ?? options.thread ?? randomUUID(),
      agent: await agentOn(threads.checkpointer),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Loads the model and the tools of the agent that settings describe. What must be closed is added to a list. */
async function describedAgent(chosen: ChosenSettings, database: string, io: Io, opened: Partial<AsyncDisposable>[]) {
  const server = modelServer(chosen, io);
  const approve = chosen.value(settings.approve) ?? (io.stdin.isTTY ? "effects" : "never");
  const flow = chosen.value(settings.retrieval) ? (chosen.value(settings.flow) ?? readFlow(defaultFlow)) : undefined;
  const names = flow ? ["documents" as const] : (chosen.value(settings.tools) ?? defaultTools);
  const embedding = names.includes("documents") ? embeddingServer(chosen, io) : undefined;
  const [{ protocol, maxSteps, limits, ...spoken }, named, { createAgent }] = await Promise.all([
    agentSettings(chosen, server),
    loadTools(names, { docs: chosen.text(settings.docs), embedding, database, env: io.env }),
    import("../../agent/create-agent.js"),
  ]);
  opened.push(...named);
  tellWithheld([server, embedding], io);
  const mcpFile = chosen.text(settings.mcp);
  const mcp = mcpFile === undefined ? undefined : await loadMcpTools(mcpFile, io.env);
  if (mcp !== undefined) opened.push(mcp);
  const tools = [...named, ...(mcp?.tools ?? [])];
  const [retriever] = named;
  return {
    toolNames: tools.map(({ name }) => name),
    model: server.model,
    agentOn: async (checkpointer: Threads["checkpointer"]): Promise<Agent> =>
      flow && retriever
        ? retrievalAgent(flow, { ...spoken, limits, checkpointer, retriever })
        : createAgent({ ...spoken, protocol, approve, limits: { ...limits, maxSteps }, tools, checkpointer }),
  };
}
