import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { similarWord } from "../../base/similar-word.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { programCommand } from "../program/program-command.js";

/** Makes the command `glassloop help`, for commands in commands, too. */
export function helpCommand(io: Io) {
  return programCommand("help", io)
    .description("Show the help of a command.")
    .argument("[command...]", "the words of the command, such as: threads list")
    .action((words, _options, { parent }) => {
      if (parent) words.reduce(commandIn, parent).help();
    });
}

/** @throws UsageError if the outer command has none with this name. */
function commandIn(outer: CommandUnknownOpts, word: string): CommandUnknownOpts {
  const found = outer.commands.find((command) => command.name() === word || command.aliases().includes(word));
  if (found) return found;
  const names = outer.commands.map((command) => command.name());
  const meant = similarWord(word, names);
  const possible = names.length === 0 ? "It has no commands." : `Possible are: ${names.join(", ")}.`;
  throw new UsageError(
    `"${outer.name()}" has no command "${word}". ${meant === undefined ? possible : `Did you mean ${meant}?`}`,
  );
}
