import { Runnable, type RunnableConfig } from "@langchain/core/runnables";

/**
 * A function as LangGraph calls it, and nothing round it. LangGraph makes a runnable of a plain function that sets up a
 * tracing context at each call, traced or not, which costs more than a function does that only looks at the state. Not for
 * functions that call models or tools: those find their run in that context.
 */
export class DirectRunnable<Input, Output> extends Runnable<Input, Output> {
  override lc_namespace = ["glassloop"];

  constructor(
    override readonly name: string,
    private readonly run: (input: Input, config: Partial<RunnableConfig>) => Output | Promise<Output>,
  ) {
    super();
  }

  override async invoke(input: Input, config: Partial<RunnableConfig> = {}): Promise<Output> {
    return this.run(input, config);
  }
}
