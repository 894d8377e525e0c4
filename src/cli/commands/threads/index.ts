import type { Io } from "../../io.js";
import { type End, programCommand } from "../../program/commands.js";
import { decideCommand, resumeCommand } from "./go-on-commands.js";
import { listCommand, searchCommand, waitingCommand } from "./list.js";
import { copyCommand, exportCommand, forkCommand, renameCommand } from "./move.js";
import { deleteCommand, pruneCommand } from "./remove.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";

/**
 * Makes the command `glassloop threads`, with a command for each action. The code of an action is loaded when it runs.
 */
export function threadsCommand(io: Io, end: End) {
  return programCommand("threads", io)
    .description("List, search, show, resume, copy, rename, prune and delete threads.")
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(searchCommand(io))
    .addCommand(statsCommand(io))
    .addCommand(resumeCommand(io, end))
    .addCommand(waitingCommand(io))
    .addCommand(decideCommand(io, end))
    .addCommand(forkCommand(io))
    .addCommand(renameCommand(io))
    .addCommand(pruneCommand(io, end))
    .addCommand(copyCommand(io, end))
    .addCommand(exportCommand(io))
    .addCommand(deleteCommand(io, end));
}
