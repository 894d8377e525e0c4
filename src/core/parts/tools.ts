import type { RunnableToolLike } from "@langchain/core/runnables";
import type { ServerTool, StructuredToolInterface } from "@langchain/core/tools";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { RunView } from "../run/run-view.js";
import type { ApprovalRequest } from "../state/approval.js";

/** A LangChain tool, or a runnable that `asTool()` made one. */
export type AgentTool = StructuredToolInterface | RunnableToolLike;

/** A tool of an agent: one that runs here, or the definition of one that the provider of the model runs. */
export type ToolOption = AgentTool | ServerTool;

/** A tool that the provider of the model runs. The definition is in the provider's words. */
export interface ProviderTool {
  readonly name: string;
  readonly definition: ServerTool;
}

/** The tools of an agent, and who has a say in their calls. */
export interface Tools {
  readonly byName: ReadonlyMap<string, AgentTool>;
  /** The tools as protocols see them. */
  readonly specs: readonly ToolSpec[];
  /** The tools that the provider of the model runs. A model with native tools gets them beside the others. */
  readonly ofProvider: readonly ProviderTool[];
  /** Tells how a person decides about the calls of a tool. Returns undefined if nobody ever does. */
  approve(tool: AgentTool): Approval | undefined;
  /** False if the agent keeps nothing of its runs, although a graph around it may. */
  readonly keepsSteps: boolean;
}

/** A person's part in the calls of a tool: why they are asked about a call, and what they can decide. */
export type Approval = (
  input: Readonly<Record<string, unknown>>,
  view: RunView,
) => Promise<Pick<ApprovalRequest, "why" | "allowed"> | undefined>;
