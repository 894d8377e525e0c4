import type { Agent } from "../../core/agent.js";
import type { Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { ChosenSettings } from "../program/chosen-settings.js";
import type { AgentOptions } from "../program/options.js";
import { defaultFlow, readFlow, retrievalAgent } from "../program/retrieval-flow.js";
import { allSettings, defaultTools, settings, typedSettings, typedWords } from "../program/settings.js";
import { agentSettings } from "./agent-settings.js";
import { loadMcpTools, loadTools } from "./load-tools.js";
import type { ThreadPlace } from "./on-thread.js";
import { embeddingServer, modelServer, type Withheld } from "./server.js";

/** An agent at work on one thread. */
export interface Session extends AsyncDisposable {
  readonly agent: Agent;
  /** The names of the agent's tools. */
  readonly toolNames: readonly string[];
  readonly threads: Threads;
  readonly thread: string;
  /** True if the thread was there when the session began. */
  readonly isKept: boolean;
  /** The model's name, as it was given. */
  readonly model: string;
  /** The address of the database, as it was given. */
  readonly database: string;
  readonly chosen: ChosenSettings;
  /** The options to give again when the thread goes on. */
  readonly again: readonly string[];
  /** Why keys stay here. */
  readonly withheld: readonly Withheld[];
}

/**
 * Makes the agent that a command's options, its thread and the environment describe. All mistakes in them are found before a
 * database is made.
 */
export async function openSession(place: ThreadPlace, options: AgentOptions, io: Io): Promise<Session> {
  const { thread, database, found } = place;
  const typed = typedSettings(options);
  const chosen = new ChosenSettings(typed, io);
  const server = modelServer(chosen, io);
  const approve = chosen.value(settings.approve) ?? (io.stdin.isTTY ? "effects" : "never");
  const flow = chosen.value(settings.retrieval) ? (chosen.value(settings.flow) ?? readFlow(defaultFlow)) : undefined;
  const names = flow ? ["documents" as const] : (chosen.value(settings.tools) ?? defaultTools);
  const embedding = names.includes("documents") ? embeddingServer(chosen, io) : undefined;
  const [{ protocol, maxSteps, limits, ...spoken }, tools, { createAgent }, { openThreads }] = await Promise.all([
    agentSettings(chosen, server),
    loadTools(names, { docs: chosen.text(settings.docs), embedding, database, env: io.env }),
    import("../../agent/create-agent.js"),
    import("../../threads/open.js"),
  ]);
  const mcpFile = chosen.text(settings.mcp);
  const mcp = mcpFile === undefined ? undefined : await loadMcpTools(mcpFile, io.env);
  const closing: Partial<AsyncDisposable>[] = [...tools, ...(mcp === undefined ? [] : [mcp])];
  async function close(): Promise<void> {
    await Promise.all(closing.map((open) => open[Symbol.asyncDispose]?.()));
  }
  try {
    const threads = place.threads ?? (await openThreads(database));
    if (place.threads === undefined) closing.push(threads);
    const allTools = [...tools, ...(mcp?.tools ?? [])];
    const { checkpointer } = threads;
    const [retriever] = tools;
    const agent =
      flow && retriever
        ? await retrievalAgent(flow, { ...spoken, limits, checkpointer, retriever })
        : createAgent({ ...spoken, protocol, approve, limits: { ...limits, maxSteps }, tools: allTools, checkpointer });
    return {
      agent,
      toolNames: allTools.map(({ name }) => name),
      threads,
      thread,
      isKept: found !== undefined,
      model: server.model,
      database,
      chosen,
      again: allSettings.flatMap((setting) => {
        const text = typed[setting.name];
        return text === undefined ? [] : typedWords(setting, text);
      }),
      withheld: [server, embedding].flatMap((one) => one?.withheld ?? []),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
