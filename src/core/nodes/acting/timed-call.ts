import { mergeConfigs } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { progressHandler } from "./progress.js";

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
