import type { Io } from "../../io.js";
import { type End, programCommand } from "../../program/program-command.js";
import { copyCommand } from "./copy.js";
import { decideCommand } from "./decide-command.js";
import { deleteCommand } from "./delete.js";
import { exportCommand } from "./export.js";
import { forkCommand } from "./fork.js";
import { listCommand } from "./list.js";
import { pruneCommand } from "./prune.js";
import { renameCommand } from "./rename.js";
import { resumeCommand } from "./resume-command.js";
import { searchCommand } from "./search.js";
import { showCommand } from "./show.js";
import { statsCommand } from "./stats.js";
import { waitingCommand } from "./waiting.js";

/**
 * Makes the command `glassloop threads`, with a command for each action. The code of an action is loaded when it runs.
 */
export function threadsCommand(io: Io, end: End) {
  return programCommand("threads", io)
    .description("Look at the threads that were kept, go on with them, copy, rename, prune and delete them.")
    .addCommand(listCommand(io, end))
    .addCommand(showCommand(io, end))
    .addCommand(searchCommand(io, end))
    .addCommand(statsCommand(io, end))
    .addCommand(resumeCommand(io, end))
    .addCommand(waitingCommand(io, end))
    .addCommand(decideCommand(io, end))
    .addCommand(forkCommand(io, end))
    .addCommand(renameCommand(io, end))
    .addCommand(pruneCommand(io, end))
    .addCommand(copyCommand(io, end))
    .addCommand(exportCommand(io, end))
    .addCommand(deleteCommand(io, end));
}
