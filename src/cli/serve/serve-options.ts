import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { databaseOption, programCommand, readCount } from "../program/commands.js";
import { settingOptions } from "../program/settings.js";

/** Declares `glassloop serve`. */
export function serveDeclaration(io: Io) {
  const command = programCommand("serve", io)
    .description(
      "Serve agents to LangGraph's clients over HTTP. Ctrl-C ends; runs that are left go on at the next start.",
    )
    .argument(
      "[file]",
      "a langgraph.json, or a module that exports agents (default: langgraph.json, else one agent of the options)",
    )
    .addOption(new Option("--port <number>", "the port").argParser(readPort).default(2024))
    .option(
      "--host <address>",
      "the address to listen on; all but this machine's own need GLASSLOOP_SERVER_KEY",
      "127.0.0.1",
    )
    .addOption(databaseOption())
    .option("--allow-host <name>", "a name that clients call the server by; several times for several", several, [])
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
    .addOption(
      new Option("--drain <seconds>", "the time for steps in hand at the end").argParser(readCount).default(30),
    );
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** The options of `glassloop serve`. */
export type ServeOptions = ReturnType<ReturnType<typeof serveDeclaration>["opts"]>;

function several(text: string, before: string[]): string[] {
  return [...before, text];
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a whole number up to 65535; 0 takes a free port.");
}
