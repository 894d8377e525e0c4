import type { Io } from "../io.js";
import { type End, programCommand } from "../program/commands.js";
import {
  checkedConfig,
  checkedLines,
  configLines,
  configNames,
  configPath,
  readConfig,
  writeConfig,
} from "../program/environment.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { screenText } from "../screen/screen-text.js";

/** Makes the command `glassloop config`, with a command for each action. */
export function configCommand(io: Io, end: End) {
  return programCommand("config", io)
    .description("Show and change your settings. Each command uses them unless it is told otherwise.")
    .addCommand(
      programCommand("get", io)
        .description("Print a setting, or all of your settings.")
        .argument("[name]", "the name of the setting")
        .action((name) => end(printConfig(name, io))),
    )
    .addCommand(
      programCommand("set", io)
        .description("Set a setting.")
        .argument("<name>", `one of ${configNames.join(", ")}`)
        .argument("<value>", "its text, as its option takes it; true or false for date and stream")
        .action((name, value) => changeConfig(name, value, io)),
    )
    .addCommand(
      programCommand("unset", io)
        .description("Remove a setting.")
        .argument("<name>", "the name of the setting")
        .action((name) => changeConfig(name, undefined, io)),
    )
    .addCommand(
      programCommand("path", io)
        .description("Print the path of the config file.")
        .action(() => void io.stdout.write(`${pathOf(io)}\n`)),
    )
    .addHelpText("after", examples);
}

const examples = `
Examples:
  glassloop config set model openai:gpt-4o-mini
  glassloop config set max-steps 30
  glassloop config get
  glassloop config unset model
Options win, then what the thread keeps, then variables such as GLASSLOOP_MODEL, then the file .env of the folder, then these
settings. Keys do not belong here: set OPENAI_API_KEY and the like.`;

function pathOf({ env }: Io): string {
  const path = configPath(env);
  if (path !== undefined) return path;
  throw new UsageError("There is no place for a config file. Set HOME or XDG_CONFIG_HOME.");
}

function printConfig(name: string | undefined, io: Io): ExitCode {
  const texts = readConfig(pathOf(io));
  if (name === undefined) {
    for (const [known, text] of Object.entries(texts)) io.stdout.write(screenText(`${known}=${text}\n`));
    return exitCodes.answered;
  }
  checkName(name);
  const text = texts[name];
  if (text !== undefined) io.stdout.write(screenText(`${text}\n`));
  return text === undefined ? exitCodes.failed : exitCodes.answered;
}

/** Sets a setting, or takes it out if there is no value. */
function changeConfig(name: string, value: string | undefined, io: Io): void {
  const path = pathOf(io);
  // A line that is wrong can be set, or taken out.
  const { [name]: line, ...others } = configLines(path);
  if (value === undefined && line === undefined) checkName(name);
  const kept = checkedLines(path, others);
  writeConfig(path, value === undefined ? kept : { ...kept, [name]: checkedConfig(name, value) });
}

function checkName(name: string): void {
  if (!configNames.includes(name)) checkedConfig(name, "");
}
