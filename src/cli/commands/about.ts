import type { Io } from "../io.js";
import { type End, programCommand } from "../program/commands.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { coloursFor } from "../screen/colours.js";
import { jsonLine } from "../screen/screen-text.js";

/** Makes the command `glassloop models`. */
export function modelsCommand(io: Io, end: End) {
  return programCommand("models", io)
    .description("List the providers of models: which are ready, and what the others need. Asks no server.")
    .option("--json", "print one JSON object per line for each provider")
    .action(async (options) => end(await listModels(options, io)));
}

/** Lists the providers of models. */
async function listModels({ json }: { readonly json?: boolean }, { env, stdout }: Io): Promise<ExitCode> {
  const { needsOfProviders } = await import("../../model/models.js");
  const { green, dim } = coloursFor(stdout, env);
  for (const { provider, needs } of needsOfProviders(env)) {
    const ready = needs.length === 0;
    const state = ready ? green("ready") : dim(`needs: ${needs.join("; ")}`);
    stdout.write(json ? jsonLine({ type: "provider", provider, ready, needs }) : `${provider.padEnd(14)} ${state}\n`);
  }
  return exitCodes.answered;
}

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
