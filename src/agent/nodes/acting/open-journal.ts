import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { CHECKPOINTER_KEY } from "../../../base/langgraph-names.js";
import { ThreadCheckpointer } from "../../../threads/checkpoints/checkpointer.js";
import { holdIn } from "../../../threads/guard/hold.js";
import { type ActionJournal, noJournal } from "../../../turn/action-journal.js";

/**
 * Opens the journal of the task as which a node runs. Returns an empty journal if another checkpointer keeps the
 * thread.
 */
export async function openJournal(config: LangGraphRunnableConfig): Promise<ActionJournal> {
  const { configurable, executionInfo } = config;
  const checkpointer: unknown = configurable?.[CHECKPOINTER_KEY];
  const thread: unknown = configurable?.thread_id;
  if (!(checkpointer instanceof ThreadCheckpointer) || typeof thread !== "string" || !executionInfo) return noJournal;
  return checkpointer.journal.open({ thread, task: executionInfo.taskId }, holdIn(config, thread)?.owner);
}
