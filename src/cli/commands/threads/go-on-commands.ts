import { Argument } from "@commander-js/extra-typings";
import { decisionTypes } from "../../../core/state/decision-types.js";
import { frontOf, type Io } from "../../io.js";
import { agentCommand, type End } from "../../program/commands.js";

/** Makes the command `glassloop threads resume`. Its code, which loads the agent, is loaded when the command runs. */
export function resumeCommand(io: Io, end: End) {
  return agentCommand("resume", io)
    .description(
      "Resume a turn that was stopped, killed, failed or ended at a limit. Finished steps are not run again.",
    )
    .argument("<id>", "the thread's id")
    .action(async (id, options) => {
      const { resumeThread } = await import("./go-on.js");
      end(await resumeThread(id, options, io, frontOf(io)));
    });
}

/** Makes the command `glassloop threads decide`. Its code, which loads the agent, is loaded when the command runs. */
export function decideCommand(io: Io, end: End) {
  return agentCommand("decide", io)
    .description("Decide about the waiting calls of a thread, and resume its turn.")
    .argument("<id>", "the thread's id")
    .addArgument(
      new Argument("[decision]", "the decision; asked for in a terminal, or read as JSON from a pipe").choices(
        decisionTypes,
      ),
    )
    .argument("[text...]", "the reason of refuse, the input of edit as JSON, or the text of answer")
    .option("--action <id>", 'the call to decide about, as "threads waiting" shows it; needed without a terminal')
    .addHelpText("after", examples)
    .action(async (id, decision, words, options) => {
      const { decideThread } = await import("./go-on.js");
      end(await decideThread({ id, decision, text: words.join(" ").trim() }, options, io, frontOf(io)));
    });
}

const examples = `
Examples:
  glassloop threads decide demo approve --action 1a2b3c-1
  glassloop threads decide demo refuse "The order is too old." --action 1a2b3c-1
  glassloop threads decide demo edit '{"expression": "2 + 2"}' --action 1a2b3c-1
  glassloop threads decide demo answer "Tonight at 8." --action 1a2b3c-1
  echo '{"1a2b3c-1": "approve", "1a2b3c-2": {"type": "refuse"}}' | glassloop threads decide demo
"glassloop threads waiting" shows the calls. Without --action you are asked for a yes at the terminal. Give the options with which its turn began: the thread keeps its model and limits.`;
