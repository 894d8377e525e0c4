import type { Io } from "../io.js";
import type { End } from "../program/commands.js";
import { serveDeclaration } from "../serve/serve-options.js";

/** Makes the command `glassloop serve`. Its code, which loads the server, is loaded when the command runs. */
export function serveCommand(io: Io, end: End) {
  return serveDeclaration(io)
    .addHelpText("after", examples)
    .action(async (file, options) => {
      const { serve } = await import("./serve.js");
      end(await serve(file, options, io));
    });
}

const examples = `
Examples:
  glassloop serve
  glassloop serve my-agents.js --port 3000
  glassloop serve --model openai:gpt-4o-mini --tools calculator
  glassloop serve --origin https://smith.langchain.com --client-settings all
  GLASSLOOP_SERVER_KEY=… glassloop serve --host 0.0.0.0 --allow-host agents.example`;
