import type { AgentAction } from "@langchain/core/agents";
import { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";

/**
 * Tells LangChain's callbacks what the agent does, as LangChain's `AgentExecutor` does: `handleAgentAction` for each
 * action, `handleAgentEnd` for the end of a turn.
 */
export async function tellActions(config: LangGraphRunnableConfig, actions: readonly AgentAction[]): Promise<void> {
  const run = chainRun(config);
  if (run === undefined) return;
  for (const action of actions) await run.handleAgentAction(action);
}

/** Tells LangChain's callbacks the answer of a turn. */
export async function tellEnd(config: LangGraphRunnableConfig, output: string, log: string): Promise<void> {
  await chainRun(config)?.handleAgentEnd({ returnValues: { output }, log });
}

/** Returns the run of the graph or the node around this place, for its callbacks. */
function chainRun({ callbacks }: LangGraphRunnableConfig): CallbackManagerForChainRun | undefined {
  if (callbacks === undefined || Array.isArray(callbacks)) return undefined;
  const { handlers, inheritableHandlers, tags, inheritableTags, metadata, inheritableMetadata } = callbacks;
  const id = callbacks.getParentRunId();
  if (id === undefined) return undefined;
  return new CallbackManagerForChainRun(
    id,
    handlers,
    inheritableHandlers,
    tags,
    inheritableTags,
    metadata,
    inheritableMetadata,
  );
}
