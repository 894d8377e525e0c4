import { frontOf, type Io } from "../io.js";
import { agentCommand } from "../program/agent-command.js";
import type { End } from "../program/program-command.js";

/** Makes the command `glassloop chat`. Its code, which loads the agent, is loaded when the command runs. */
export function chatCommand(io: Io, end: End) {
  return agentCommand("chat", io)
    .description(
      "Ask one question after the other on one thread. /help shows the commands of a chat. /exit and Ctrl-D leave.",
    )
    .action(async (options) => {
      const { chat } = await import("./chat.js");
      end(await chat(options, io, { ...frontOf(io), steps: io.stdout }));
    });
}
