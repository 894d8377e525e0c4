import type { Io } from "../io.js";
import { programCommand } from "../program/commands.js";
import { coloursFor } from "../screen/colours.js";
import { jsonLine } from "../screen/screen-text.js";

/** Makes the command `glassloop models`. */
export function modelsCommand(io: Io) {
  return programCommand("models", io)
    .description("List the providers of models: which are ready, and what the others need. Asks no server.")
    .option("--json", "print one JSON object per line for each provider")
    .action((options) => listModels(options, io));
}

/** Lists the providers of models. */
async function listModels({ json }: { readonly json?: boolean }, { env, stdout }: Io): Promise<void> {
  const { needsOfProviders } = await import("../../model/models.js");
  const { green, dim } = coloursFor(stdout, env);
  for (const { provider, needs } of needsOfProviders(env)) {
    const ready = needs.length === 0;
    const state = ready ? green("ready") : dim(`needs: ${needs.join("; ")}`);
    stdout.write(json ? jsonLine({ type: "provider", provider, ready, needs }) : `${provider.padEnd(14)} ${state}\n`);
  }
}

/** Makes the command `glassloop graph`. */
export function graphCommand(io: Io) {
  return programCommand("graph", io)
    .description("Print the agent's graph as a Mermaid diagram.")
    .action(() => printGraph(io));
}

/** Prints the graph. No model is loaded, because the graph is the same for each. */
async function printGraph({ stdout }: Io): Promise<void> {
  const { createAgent } = await import("../../agent/create-agent.js");
  const graph = await createAgent({ model: "offline" }).getGraphAsync();
  stdout.write(`${graph.drawMermaid({ withStyles: false }).trimEnd()}\n`);
}
