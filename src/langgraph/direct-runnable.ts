import { Runnable, type RunnableConfig } from "@langchain/core/runnables";

/**
 * A runnable that only calls its function. LangGraph wraps a plain function in a runnable that sets up a tracing context at
 * each call, even without tracing. This costs more time than a function that only reads the state. Runnables that are called
 * inside this one find no tracing context and must be given the config, so this class is not for functions that call tools.
 */
export class DirectRunnable<Input, Output> extends Runnable<Input, Output> {
  override lc_namespace = ["glassloop"];

  constructor(
    override readonly name: string,
    private readonly run: (input: Input, config: Partial<RunnableConfig>) => Output | Promise<Output>,
  ) {
    super();
  }

  override invoke(input: Input, config: Partial<RunnableConfig> = {}): Promise<Output> {
    return Promise.resolve(this.run(input, config));
  }
}
