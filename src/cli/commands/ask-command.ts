import { frontOf, type Io } from "../io.js";
import { agentCommand } from "../program/agent-command.js";
import type { End } from "../program/program-command.js";

/** `glassloop ask`. Its code loads the agent, and is loaded when it runs. */
export function askCommand(io: Io, end: End) {
  return agentCommand("ask", io)
    .description("Ask one question. The answer goes to stdout; where that is no terminal, the steps go to stderr.")
    .argument("[question...]", 'the question; read from a pipe when there is none, or "-"')
    .action(async (question, options) => {
      const { ask } = await import("./ask.js");
      end(await ask(question, options, io, frontOf(io)));
    });
}
