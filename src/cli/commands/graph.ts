import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { type End, programCommand } from "../program/program-command.js";

/** Makes the command `glassloop graph`. */
export function graphCommand(io: Io, end: End) {
  return programCommand("graph", io)
    .description("Print the agent's graph as a Mermaid diagram.")
    .action(async () => end(await printGraph(io)));
}

/** Prints the graph. No model is loaded, because the graph is the same for each. */
async function printGraph({ stdout }: Io): Promise<ExitCode> {
  const { createAgent } = await import("../../agent/create-agent.js");
  const graph = await createAgent({ model: "offline" }).getGraphAsync();
  stdout.write(`${graph.drawMermaid({ withStyles: false }).trimEnd()}\n`);
  return exitCodes.answered;
}
