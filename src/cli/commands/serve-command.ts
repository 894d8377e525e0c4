import type { Io } from "../io.js";
import type { End } from "../program/commands.js";
import { serveDeclaration, workerDeclaration } from "../serve/serve-options.js";

/** Makes the command `glassloop serve`. Its code, which loads the server, is loaded when the command runs. */
export function serveCommand(io: Io, end: End) {
  return serveDeclaration(io)
    .addHelpText("after", examples)
    .action(async (file, options) => {
      const { serve } = await import("./serve.js");
      end(await serve(file, options, io));
    });
}

/** Makes the command `glassloop worker`, likewise. */
export function workerCommand(io: Io, end: End) {
  return workerDeclaration(io)
    .addHelpText("after", workerExamples)
    .action(async (file, options) => {
      const { work } = await import("./serve.js");
      end(await work(file, options, io));
    });
}

const workerExamples = `
Examples, for any number of machines:
  glassloop serve --db postgres://… --max-runs 0
  glassloop worker --db postgres://… --max-runs 50`;

const examples = `
Examples:
  glassloop serve
  glassloop serve my-agents.js --port 3000
  glassloop serve --model openai:gpt-4o-mini --tools calculator
  glassloop serve --origin https://smith.langchain.com --client-settings all
  GLASSLOOP_SERVER_KEY=… glassloop serve --host 0.0.0.0 --allow-host agents.example`;
