import { Option } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { type End, type NewCommand, several } from "../program/options.js";
import { openInBrowser } from "../serve/open-in-browser.js";
import { type ProcessOptions, withProcessOptions } from "../serve/process-options.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withProcessOptions(command, 2024)
    .option(
      "--origin <site>",
      "a site whose pages may use the server, such as https://smith.langchain.com",
      several,
      [],
    )
    .option(
      "--client-settings <names>",
      'the settings of graphs that clients may give, with commas; or "all" (default: none)',
      (text) => text.split(",").map((name) => name.trim()),
      [],
    )
    .option("--no-page", "serve no page at /")
    .addOption(new Option("--open", "open the page in the browser").conflicts("page"))
    .addHelpText("after", examples)
    .action(async (file, options) => end(await serve(file, options, io)));
}

const examples = `
Examples:
  glassloop serve --open
  glassloop serve my-agents.js --port 3000
  glassloop serve --model openai:gpt-4o-mini --tools calculator
  glassloop serve --model openai:gpt-4o-mini --model anthropic:claude-haiku-4-5
  glassloop serve --origin https://smith.langchain.com --client-settings all
  GLASSLOOP_SERVER_KEY=… glassloop serve --host 0.0.0.0 --allow-host agents.example`;

interface ServeOptions extends ProcessOptions {
  readonly origin: string[];
  readonly clientSettings: string[];
  readonly page: boolean;
  readonly open?: true | undefined;
}

const studio = "https://smith.langchain.com";

/** Serves agents to LangGraph's clients. */
async function serve(file: string | undefined, options: ServeOptions, io: Io) {
  const { origin: origins, clientSettings, page, open, maxRuns } = options;
  const { runProcess } = await import("../serve/run-process.js");
  return runProcess(file, options, io, {
    forClients: { origins, page, clientSettings: clientSettings.includes("all") ? "all" : clientSettings },
    answer: ({ fetch }) => fetch,
    greeting: (names, url) =>
      [
        page
          ? `Serving ${names}. See it think in a browser: ${url} (Ctrl-C ends)`
          : `Serving ${names} on ${url}. Ctrl-C ends.`,
        ...(maxRuns === 0 ? ["Runs wait for a worker: glassloop worker, with the same --db."] : []),
        ...(origins.includes(studio) ? [`Studio: ${studio}/studio/?baseUrl=${url}`] : []),
      ].join("\n"),
    started: (url) => {
      if (open) openInBrowser(url, (problem) => io.stderr.write(`${problem}\n`));
    },
  });
}
