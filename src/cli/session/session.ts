import type { Agent } from "../../agent/create-agent.js";
import type { ThreadSettings } from "../../threads/checkpoints/thread-settings.js";
import type { Threads } from "../../threads/open.js";
import { confirm } from "../deciding/confirm.js";
import type { Io } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { defaultFlow, readFlow } from "../program/retrieval-flow.js";
import { defaultTools, type SettingTexts, settings, typedSettings, typedWords } from "../program/settings.js";
import { agentSettings } from "./agent-settings.js";
import { ChosenSettings, environmentLayer, keptLayer, typedLayer } from "./chosen-settings.js";
import { embeddingServer } from "./embedding-server.js";
import { settingsToKeep, usableSettings } from "./kept-settings.js";
import { loadMcpTools } from "./load-mcp-tools.js";
import { loadTools } from "./load-tools.js";
import { modelServer } from "./model-server.js";
import type { ThreadPlace } from "./on-thread.js";
import { retrievalAgent } from "./retrieval-agent.js";
import type { Server, Withheld } from "./server.js";

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
  /** The settings that the thread keeps. */
  readonly settings: SettingTexts;
  /** The options to give again when the thread goes on, as no thread keeps them. */
  readonly again: readonly string[];
  /** Why keys stay here. */
  readonly withheld: readonly Withheld[];
}

/**
 * Makes the agent that a command's options, its thread and the environment describe. All mistakes in them are found before a
 * database is made.
 */
export async function openSession(place: ThreadPlace, options: AgentCommandOptions, io: Io): Promise<Session> {
  const { thread, database, found } = place;
  const typed = typedLayer(typedSettings(options));
  const environment = environmentLayer(io);
  const kept = keptLayer(found?.settings ? await usable(found.settings, options, io) : {});
  const chosen = new ChosenSettings([typed, kept, environment]);
  const server = modelServer(chosen, io);
  const flow = chosen.value(settings.retrieval) ? (chosen.value(settings.flow) ?? readFlow(defaultFlow)) : undefined;
  const names = flow ? ["documents" as const] : (chosen.value(settings.tools) ?? defaultTools);
  const embedding = names.includes("documents") ? embeddingServer(chosen, io) : undefined;
  const [{ protocol, approve, maxSteps, ...spoken }, tools, { createAgent }, { openThreads }] = await Promise.all([
    agentSettings(chosen, server, io),
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
        ? await retrievalAgent(flow, { ...spoken, checkpointer, retriever })
        : createAgent({ ...spoken, protocol, approve, maxSteps, tools: allTools, checkpointer });
    const toKeep = settingsToKeep(chosen, { ...server.own, ...embedding?.own }, found?.settings?.values ?? {}, io.env);
    const next = new ChosenSettings([keptLayer(toKeep), environment]);
    return {
      agent,
      toolNames: allTools.map(({ name }) => name),
      threads,
      thread,
      isKept: found !== undefined,
      model: server.model,
      database,
      settings: toKeep,
      again: [
        ...(mcpFile !== undefined && chosen.place(settings.mcp) === typed ? typedWords(settings.mcp, mcpFile) : []),
        ...addressAgain(server, modelServer(next, io)),
        ...addressAgain(embedding, embeddingServer(next, io)),
      ],
      withheld: [server, embedding].flatMap((one) => one?.withheld ?? []),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the option with the address of a server. It is needed if the thread alone would name it: no key goes there then. */
function addressAgain(now: Server | undefined, next: Server | undefined): readonly string[] {
  if (now?.baseUrl === undefined || now.withheld !== undefined || next?.withheld === undefined) return [];
  return typedWords(now.setting, now.baseUrl);
}

function usable(kept: ThreadSettings, { threadSettings }: AgentCommandOptions, io: Io): Promise<SettingTexts> {
  const ask = async (question: string) => (await confirm(question, io)) === "yes";
  return usableSettings(kept, threadSettings, io.env, io.stdin.isTTY ? ask : undefined);
}
