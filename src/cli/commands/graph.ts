import { createAgent } from "../../agent/create-agent.js";
import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";

/** Prints the graph as a Mermaid diagram. The model is not loaded: the graph is the same for each. */
export async function printGraph({ stdout }: Pick<Io, "stdout">): Promise<ExitCode> {
  const graph = await createAgent({ model: "offline" }).getGraphAsync();
  stdout.write(`${graph.drawMermaid({ withStyles: false }).trimEnd()}\n`);
  return exitCodes.answered;
}
