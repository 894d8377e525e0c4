import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { databaseOption, type NewCommand, several } from "../program/options.js";
import { count, whole } from "../program/setting-readers.js";
import { settingOptions } from "../program/settings.js";

/** Adds the options of a process that executes runs. */
export function withProcessOptions(command: NewCommand, port: number) {
  const withAll = command
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
        .argParser(whole)
        .default(100),
    )
    .addOption(
      new Option("--max-queued-runs <number>", "the most runs of one owner that wait").argParser(count).default(1000),
    )
    .addOption(
      new Option("--keep-events <hours>", "for how long clients can read an ended run again")
        .argParser(count)
        .default(1),
    )
    .addOption(
      new Option(
        "--keep-runs <days>",
        "for how long ended runs are listed (default: as long as their threads)",
      ).argParser(count),
    )
    .addOption(new Option("--drain <seconds>", "the time for steps in hand at the end").argParser(whole).default(30));
  for (const option of settingOptions()) withAll.addOption(option.name() === "model" ? offered(option) : option);
  return withAll;
}

/** Makes an option that may be given several times. Its help says what that means. */
function offered(option: Option): Option {
  const { description } = option;
  option.description = `${description}; given several times, clients choose one for each run, and the first is the default`;
  return option.argParser(several);
}

export type ProcessOptions = ReturnType<ReturnType<typeof withProcessOptions>["opts"]>;

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("Give a whole number up to 65535; 0 takes a free port.");
}
