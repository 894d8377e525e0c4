import type { RunnableToolLike } from "@langchain/core/runnables";
import type { ServerTool, StructuredToolInterface } from "@langchain/core/tools";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";

/** A LangChain tool, or a runnable that `asTool()` made one. */
export type AgentTool = StructuredToolInterface | RunnableToolLike;

/** A tool of an agent: one that runs here, or the definition of one that the provider of the model runs. */
export type ToolOption = AgentTool | ServerTool;

/** A tool that the provider of the model runs. The definition is in the provider's words. */
export interface ProviderTool {
  readonly name: string;
  readonly definition: ServerTool;
}

/** The tools of an agent. */
export interface Tools {
  readonly byName: ReadonlyMap<string, AgentTool>;
  /** The tools as protocols see them. */
  readonly specs: readonly ToolSpec[];
  /** The tools that the provider of the model runs. A model with native tools gets them beside the others. */
  readonly ofProvider: readonly ProviderTool[];
  /** False if the agent keeps nothing of its runs, although a graph around it may. */
  readonly keepsSteps: boolean;
}
