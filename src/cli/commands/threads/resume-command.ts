import { frontOf, type Io } from "../../io.js";
import { agentCommand } from "../../program/agent-command.js";
import type { End } from "../../program/program-command.js";

/** Makes the command `glassloop threads resume`. Its code, which loads the agent, is loaded when the command runs. */
export function resumeCommand(io: Io, end: End) {
  return agentCommand("resume", io)
    .description(
      "Go on with a turn that was stopped, killed, failed or ended at a limit. Finished steps are not done again.",
    )
    .argument("<id>", "the thread's id")
    .action(async (id, options) => {
      const { resumeThread } = await import("./resume.js");
      end(await resumeThread(id, options, io, frontOf(io)));
    });
}
