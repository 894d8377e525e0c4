import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { ChatHistory } from "../state/chat-history.js";
import type { PromptRecord } from "../state/prompt-record.js";
import type { AgentStateValues, Turn } from "../state/state.js";
import type { Memory } from "./memory.js";
import type { Models } from "./models.js";
import type { Plugin } from "./plugin.js";
import type { WritePromptOfStep } from "./prompts.js";
import type { FencedProtocol } from "./protocol.js";
import type { Tools } from "./tools.js";

/** All that the core of an agent needs of others. `createAgent` makes it of its options. */
export interface AgentParts {
  readonly models: Models;
  readonly protocols: AgentProtocols;
  readonly prompt: PromptParts;
  readonly tools: Tools;
  readonly memory: Memory;
  /** Returns the question of a turn as one that stands on its own, or as it was asked. */
  readonly rephrase: (
    agent: AgentParts,
    turn: Turn,
    history: ChatHistory,
    config: LangGraphRunnableConfig,
  ) => Promise<string>;
  readonly answers: Answers;
  /** What plugs into the loop. The first one is the outermost. */
  readonly plugins: readonly Plugin[];
}

/** The parts of an agent that are known only in a run. Those that stand here are known before, as far as they can be. */
export interface RunParts extends Pick<AgentParts, "protocols" | "plugins" | "tools"> {
  /** Returns the parts for a node that runs. */
  at(state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentParts>;
}

/**
 * The protocols of an agent. A model with native tools is asked in the native one, if there is one. All others are asked in the
 * text protocol.
 */
export interface AgentProtocols {
  readonly text: FencedProtocol;
  readonly native?: FencedProtocol;
  /** Returns the protocol that wrote a prompt. Returns undefined if it is not known. */
  writerOf(prompt: Pick<PromptRecord, "protocol" | "options">): FencedProtocol | undefined;
}

/** How prompts are written, and what they say beside the turn. */
export interface PromptParts {
  readonly write: WritePromptOfStep;
  /** Returns the user's system prompt. It is empty if there is none. */
  instructions(): string | Promise<string>;
  /** Returns the worked examples. It returns undefined if the protocol has its own. */
  examples(): readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /** True if a prompt shows the date. */
  readonly currentDate: boolean;
  /** The largest number of characters of an observation that a prompt shows. Default: all. */
  readonly observationCharacters?: number | undefined;
  /** True if prompts fence text from outside. */
  readonly fence: boolean;
}

/** What an agent does with its answers. */
export interface Answers {
  /** The name on the agent's messages. Left out if the user gave it none. */
  readonly name?: string;
  /**
   * True if an answer is checked before its turn ends, and the model may be asked for another one. The answer then goes to
   * `messages` as a whole.
   */
  readonly areChecked?: boolean;
}
