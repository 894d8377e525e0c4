import type { Front, Io } from "./io.js";
import { commandNames, main, withEnvironment } from "./main.js";
import { agentCommand } from "./program/commands.js";
import type { ExitCode } from "./program/exit-codes.js";
import { runProgram, runToExit } from "./program/run-program.js";

/** Runs `npm start`: a command, or one question, or a conversation, with all steps on stdout. */
function start(args: readonly string[], given: Io): Promise<ExitCode> {
  const program = "npm start --";
  const [first = ""] = args;
  if (commandNames.includes(first)) return main(args, { ...given, program });
  const { io, problem } = withEnvironment({ ...given, program });
  const front: Front = { resume: program, steps: io.stdout };
  return runProgram(args, io, (end) =>
    agentCommand(program, io)
      .description(
        "Asks a question. Without a question it chats, in a terminal or with the lines of a pipe. " +
          `With a command of glassloop it runs that: ${commandNames.join(", ")}.`,
      )
      .argument("[question...]", "the question")
      .action(async (question, options) => {
        if (problem !== undefined) throw problem;
        if (question.length > 0) end(await (await import("./commands/ask.js")).ask(question, options, io, front));
        else end(await (await import("./commands/chat.js")).chat(options, io, front));
      }),
  );
}

await runToExit(start);
