import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { databaseOption, programCommand, readCount } from "../program/commands.js";
import { settingOptions } from "../program/settings.js";

/** Declares `glassloop serve`. */
export function serveDeclaration(io: Io) {
  const command = processCommand("serve", 2024, io)
    .description(
      "Serve agents to LangGraph's clients over HTTP. Ctrl-C ends; runs that are left go on at the next start.",
    )
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
    );
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** Declares `glassloop worker`. */
export function workerDeclaration(io: Io) {
  const command = processCommand("worker", 2025, io).description(
    "Execute the runs of servers on the same database. Give it the agents of these servers. It answers /health and /metrics.",
  );
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** Makes a command for a process that executes runs. */
function processCommand(name: string, port: number, io: Io) {
  return programCommand(name, io)
    .argument(
      "[file]",
      "a langgraph.json, or a module that exports agents (default: langgraph.json, else one agent of the options)",
    )
    .addOption(new Option("--port <number>", "the port").argParser(readPort).default(port))
    .option(
      "--host <address>",
      "the address to listen on; all but this machine's own need GLASSLOOP_SERVER_KEY",
      "127.0.0.1",
    )
    .addOption(databaseOption())
    .option("--allow-host <name>", "a name that clients call the server by; several times for several", several, [])
    .addOption(
      new Option("--max-runs <number>", "the most runs at once; 0 leaves them to other processes on the database")
        .argParser(readWhole)
        .default(100),
    )
    .addOption(
      new Option("--keep-events <hours>", "for how long clients can read an ended run again")
        .argParser(readCount)
        .default(1),
    )
    .addOption(
      new Option(
        "--keep-runs <days>",
        "for how long ended runs are listed (default: as long as their threads)",
      ).argParser(readCount),
    )
    .addOption(
      new Option("--drain <seconds>", "the time for steps in hand at the end").argParser(readWhole).default(30),
    );
}

/** The options of `glassloop serve`. */
export type ServeOptions = ReturnType<ReturnType<typeof serveDeclaration>["opts"]>;
/** The options of `glassloop worker`. */
export type WorkerOptions = ReturnType<ReturnType<typeof workerDeclaration>["opts"]>;

function several(text: string, before: string[]): string[] {
  return [...before, text];
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a whole number up to 65535; 0 takes a free port.");
}

function readWhole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number.");
}
