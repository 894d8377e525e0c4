import { frontOf, type Io } from "../io.js";
import { agentCommand } from "../program/agent-command.js";
import type { End } from "../program/program-command.js";

/** Makes the command `glassloop ask`. Its code, which loads the agent, is loaded when the command runs. */
export function askCommand(io: Io, end: End) {
  return agentCommand("ask", io)
    .description("Ask one question. The answer goes to stdout. The steps go to stderr if stdout is not a terminal.")
    .argument("[question...]", 'the question; read from a pipe when there is none, or "-"')
    .action(async (question, options) => {
      const { ask } = await import("./ask.js");
      end(await ask(question, options, io, frontOf(io)));
    });
}
