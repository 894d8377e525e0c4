import { frontOf, type Io } from "../../io.js";
import { agentCommand } from "../../program/agent-command.js";
import type { End } from "../../program/program-command.js";

/** `glassloop threads resume`. Its code loads the agent, and is loaded when it runs. */
export function resumeCommand(io: Io, end: End) {
  return agentCommand("resume", io)
    .description("Go on with a turn that was stopped, killed or failed. What was finished is not done again.")
    .argument("<id>", "the thread's id")
    .action(async (id, options) => {
      const { resumeThread } = await import("./resume.js");
      end(await resumeThread(id, options, io, frontOf(io)));
    });
}
