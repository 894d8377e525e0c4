import { InvalidArgumentError } from "@commander-js/extra-typings";
import { frontOf, type Io } from "../../io.js";
import { agentCommand, databaseOption, readCount } from "../../program/agent-command.js";
import type { ExitCode } from "../../program/exit-codes.js";
import { programCommand } from "../../program/program-command.js";

type End = (exitCode: ExitCode) => void;

/** `glassloop threads`: what can be done with the threads of a database. Each command's own code is loaded when it runs. */
export function threadsCommand(io: Io, end: End) {
  return programCommand("threads", io)
    .description("Look at the threads that were kept, go on with them, copy, prune and delete them.")
    .addCommand(listCommand(io, end))
    .addCommand(showCommand(io, end))
    .addCommand(searchCommand(io, end))
    .addCommand(resumeCommand(io, end))
    .addCommand(forkCommand(io, end))
    .addCommand(pinCommand(io, end))
    .addCommand(unpinCommand(io, end))
    .addCommand(pruneCommand(io, end))
    .addCommand(vacuumCommand(io, end))
    .addCommand(exportCommand(io, end))
    .addCommand(importCommand(io, end))
    .addCommand(deleteCommand(io, end));
}

function listCommand(io: Io, end: End) {
  return programCommand("list", io)
    .description("List the threads, the one used last first.")
    .addOption(databaseOption())
    .option("--limit <number>", "the most threads to list", readCount, 20)
    .option("--json", "print one JSON object per line for each thread")
    .action(async (options) => {
      const { listThreads } = await import("./list.js");
      end(await listThreads(options, io));
    });
}

function showCommand(io: Io, end: End) {
  return programCommand("show", io)
    .description("Print the conversation of a thread, and its turns and steps with the ids of their checkpoints.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("--json", "print one JSON object per line for each step")
    .option("-q, --quiet", "print only questions and answers")
    .action(async (id, options) => {
      const { showThread } = await import("./show.js");
      end(await showThread(id, options, io));
    });
}

function searchCommand(io: Io, end: End) {
  return programCommand("search", io)
    .description("Find questions and answers in which all the words occur.")
    .argument("<words...>", "the words to search for")
    .addOption(databaseOption())
    .option("--limit <number>", "the most to find", readCount, 20)
    .option("--json", "print one JSON object per line for each question or answer")
    .action(async (words, options) => {
      const { searchInThreads } = await import("./search.js");
      end(await searchInThreads(words, options, io));
    });
}

function resumeCommand(io: Io, end: End) {
  return agentCommand("resume", io)
    .description("Go on with a turn that was stopped, killed or failed. What was finished is not done again.")
    .argument("<id>", "the thread's id")
    .action(async (id, options) => {
      const { resumeThread } = await import("./resume.js");
      end(await resumeThread(id, options, io, frontOf(io)));
    });
}

function forkCommand(io: Io, end: End) {
  return programCommand("fork", io)
    .description("Copy a checkpoint of a thread, and its past, into a new thread; print the new thread's id.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it")
    .argument("[new-id]", "the new thread's id (default: a new one)")
    .addOption(databaseOption())
    .action(async (id, checkpoint, newId, options) => {
      const { forkThread } = await import("./fork.js");
      end(await forkThread({ id, checkpoint, newId }, options, io));
    });
}

function pinCommand(io: Io, end: End) {
  return programCommand("pin", io)
    .description("Keep a checkpoint from being pruned.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id, as `threads show` prints it")
    .addOption(databaseOption())
    .action(async (id, checkpoint, options) => {
      const { pinCheckpoint } = await import("./pin.js");
      end(await pinCheckpoint(id, checkpoint, options, io));
    });
}

function unpinCommand(io: Io, end: End) {
  return programCommand("unpin", io)
    .description("Let a checkpoint be pruned again.")
    .argument("<id>", "the thread's id")
    .argument("<checkpoint>", "the checkpoint's id")
    .addOption(databaseOption())
    .action(async (id, checkpoint, options) => {
      const { unpinCheckpoint } = await import("./pin.js");
      end(await unpinCheckpoint(id, checkpoint, options, io));
    });
}

function pruneCommand(io: Io, end: End) {
  return programCommand("prune", io)
    .description(
      "Delete old checkpoints of a thread, or of all of them. The conversation stays, and so do the newest checkpoint, " +
        "pinned ones, and the ends of branches.",
    )
    .argument("[id]", "the thread's id (default: all threads)")
    .addOption(databaseOption())
    .option("--keep-turns <number>", "keep the checkpoints of the last turns, this many", readWhole)
    .option("--keep-days <number>", "keep the checkpoints of the last days, this many", readCount)
    .option("--drop-branches", "let go of branches that were left, such as answers that were made anew")
    .option("--vacuum", "give the room back to the disk afterwards")
    .action(async (id, options) => {
      const { pruneThreads } = await import("./prune.js");
      end(await pruneThreads(id, options, io));
    });
}

function vacuumCommand(io: Io, end: End) {
  return programCommand("vacuum", io)
    .description("Give the room of what was deleted back to the disk.")
    .addOption(databaseOption())
    .action(async (options) => {
      const { vacuumDatabase } = await import("./vacuum.js");
      end(await vacuumDatabase(options, io));
    });
}

function exportCommand(io: Io, end: End) {
  return programCommand("export", io)
    .description("Write a thread, with all that is kept of it, to stdout as lines of JSON.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .action(async (id, options) => {
      const { exportThread } = await import("./export.js");
      end(await exportThread(id, options, io));
    });
}

function importCommand(io: Io, end: End) {
  return programCommand("import", io)
    .description("Read a thread that `threads export` wrote; print its id.")
    .argument("[file]", 'the file; read from stdin when there is none, or "-"')
    .addOption(databaseOption())
    .option("--id <id>", "the id to give to the thread (default: the one it had)")
    .action(async (file, options) => {
      const { importThread } = await import("./import.js");
      end(await importThread(file, options, io));
    });
}

function deleteCommand(io: Io, end: End) {
  return programCommand("delete", io)
    .description("Delete a thread, with all that was kept of it.")
    .argument("<id>", "the thread's id")
    .addOption(databaseOption())
    .option("-y, --yes", "do not ask whether it is meant")
    .action(async (id, options) => {
      const { deleteThread } = await import("./delete.js");
      end(await deleteThread(id, options, io));
    });
}

/** A whole number from 0. */
function readWhole(text: string): number {
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 0.");
}
