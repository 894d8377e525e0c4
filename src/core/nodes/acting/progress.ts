import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { runOf } from "../../run/run.js";

const progressSchema = z.object({ step: z.enum(["reading", "embedding"]), done: z.int(), total: z.int() });

/** Makes a handler that passes on how far a call is with an index, which it tells with LangChain's custom event `indexing`. */
export function progressHandler(config: RunnableConfig): BaseCallbackHandler {
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
