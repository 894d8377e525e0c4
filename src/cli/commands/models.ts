import type { Io } from "../io.js";
import { type ExitCode, exitCodes } from "../program/exit-codes.js";
import { type End, programCommand } from "../program/program-command.js";
import { coloursFor } from "../screen/colours.js";

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
    if (json) stdout.write(`${JSON.stringify({ type: "provider", provider, ready: needs.length === 0, needs })}\n`);
    else
      stdout.write(
        `${provider.padEnd(14)} ${needs.length === 0 ? green("ready") : dim(`needs: ${needs.join("; ")}`)}\n`,
      );
  }
  return exitCodes.answered;
}
