import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { runOf } from "../../run/run.js";

/** The longest time that a timer of Node.js takes. */
const longestTimer = 2 ** 31 - 1;

/** The error for a tool that did not return in its time. It becomes an observation. */
export class ToolTimeout extends Error {
  constructor(readonly milliseconds: number) {
    const time = milliseconds < 1_000 ? `${milliseconds} ms` : `${milliseconds / 1_000} s`;
    super(`did not return within ${time}`);
    this.name = "ToolTimeout";
  }
}

/**
 * Makes a call that has a time limit. Its signal ends when the time is over, or with that of the config. A call that ignores its
 * signal is not waited for any longer. The call learns its time as with LangChain's `timeout`, and may tell how far it is.
 *
 * @throws ToolTimeout when the time is over.
 */
export async function inTime<Result>(
  milliseconds: number,
  config: LangGraphRunnableConfig,
  call: (config: LangGraphRunnableConfig) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(config.signal?.reason);
  config.signal?.addEventListener("abort", abort);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const timeout = new ToolTimeout(milliseconds);
        controller.abort(timeout);
        reject(timeout);
      },
      Math.min(milliseconds, longestTimer),
    );
  });
  try {
    const { signal } = controller;
    const told = mergeConfigs(config, { metadata: { timeoutMs: milliseconds }, callbacks: [progressHandler(config)] });
    return await Promise.race([call({ ...config, ...told, signal }), late]);
  } finally {
    clearTimeout(timer);
    config.signal?.removeEventListener("abort", abort);
  }
}

const progressSchema = z.object({ step: z.enum(["reading", "embedding"]), done: z.int(), total: z.int() });

/** Makes a handler that passes on how far a call is with an index, which it tells with LangChain's custom event `indexing`. */
function progressHandler(config: RunnableConfig): BaseCallbackHandler {
  const handler = BaseCallbackHandler.fromMethods({
    handleCustomEvent(name: string, data: unknown) {
      const { data: progress } = progressSchema.safeParse(data);
      if (name !== "indexing" || progress === undefined) return;
      const { step: work, ...counts } = progress;
      runOf(config).emit({ type: "indexing", work, ...counts });
    },
  });
  // Otherwise the event may come after those that follow it.
  handler.awaitHandlers = true;
  return handler;
}
