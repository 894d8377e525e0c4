import { hash } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";

/**
 * Returns the unique key of a tool call, for services that take an `Idempotency-Key`. A call that is made again after
 * its process died has the same key. A call in a forked, replayed, copied or renamed thread has
 * another key.
 *
 * @param config The second parameter of the tool's function.
 * @returns 32 hexadecimal digits, or undefined if no agent called the tool.
 * @example
 * const pay = tool(
 *   async ({ amount }, config) => bank.pay(amount, { headers: { "Idempotency-Key": idempotencyKey(config) } }),
 *   { name: "pay", description: "Pays an amount.", schema: z.object({ amount: z.number() }), metadata: { effects: true } },
 * );
 */
export function idempotencyKey(config: RunnableConfig): string | undefined {
  return z.string().optional().parse(config.configurable?.idempotency_key);
}

/** Returns the config for an action's tool: LangGraph's config with the idempotency key of the action. */
export function withIdempotencyKey(config: LangGraphRunnableConfig, actionId: string): LangGraphRunnableConfig {
  const { configurable, executionInfo } = config;
  // LangGraph makes the task id from the checkpoint at which the node started.
  const call = JSON.stringify([configurable?.thread_id, executionInfo?.taskId, actionId]);
  return { ...config, configurable: { ...configurable, idempotency_key: hash("sha256", call).slice(0, 32) } };
}
