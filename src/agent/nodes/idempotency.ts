import { hash } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";

/**
 * The key that tells a tool call apart from every other one, for services that take an `Idempotency-Key`. It is the same
 * when the call is made again because its process died, and another one when a thread is forked, replayed or copied.
 *
 * @param config What the tool was called with, its second parameter.
 * @returns 32 hexadecimal digits; undefined when no agent called the tool.
 * @example
 * const pay = tool(
 *   async ({ amount }, config) => bank.pay(amount, { headers: { "Idempotency-Key": idempotencyKey(config) } }),
 *   { name: "pay", description: "Pays an amount.", schema: z.object({ amount: z.number() }), metadata: { effects: true } },
 * );
 */
export function idempotencyKey(config: RunnableConfig): string | undefined {
  return z.string().optional().parse(config.configurable?.idempotency_key);
}

/** The config to call an action's tool with: LangGraph's, and the action's idempotency key. */
export function withIdempotencyKey(config: LangGraphRunnableConfig, actionId: string): LangGraphRunnableConfig {
  const { configurable, executionInfo } = config;
  // LangGraph's task id follows from the checkpoint that the node started from.
  const call = JSON.stringify([configurable?.thread_id, executionInfo?.taskId, actionId]);
  return { ...config, configurable: { ...configurable, idempotency_key: hash("sha256", call).slice(0, 32) } };
}

/** Whether a tool is marked as one whose calls must not be repeated: `metadata: { effects: true }`. */
export function hasEffects(tool: StructuredToolInterface): boolean {
  return marked.safeParse(tool).success;
}

const marked = z.object({ metadata: z.object({ effects: z.literal(true) }) });
