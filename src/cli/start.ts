import type { Front, Io } from "./io.js";
import { agentCommand } from "./program/agent-command.js";
import type { ExitCode } from "./program/exit-codes.js";
import { runProgram } from "./program/run-program.js";
import { runToExit } from "./program/run-to-exit.js";

/** Runs `npm start`: one question, or a conversation, with all steps on stdout. */
function start(args: readonly string[], io: Io): Promise<ExitCode> {
  const front: Front = { resume: "npm start --", steps: io.stdout };
  return runProgram(args, io, (end) =>
    agentCommand("npm start --", io)
      .description("Asks a question. Without a question it chats, in a terminal or with the lines of a pipe.")
      .argument("[question...]", "the question")
      .action(async (question, options) => {
        if (question.length > 0) end(await (await import("./commands/ask.js")).ask(question, options, io, front));
        else end(await (await import("./commands/chat.js")).chat(options, io, front));
      }),
  );
}

await runToExit(start);
