import { frontOf, type Io } from "../io.js";
import { agentCommand, type End } from "../program/commands.js";

/** Makes the command `glassloop ask`. Its code, which loads the agent, is loaded when the command runs. */
export function askCommand(io: Io, end: End) {
  return agentCommand("ask", io)
    .description("Ask one question. The answer goes to stdout. The steps go to stderr if stdout is not a terminal.")
    .argument("[question...]", 'the question; the text of a pipe follows it, or stands where "-" is')
    .option(
      "-f, --file <path>",
      "a text, picture, recording or PDF that goes with the question; several times for several",
      (path, before: string[] = []) => [...before, path],
    )
    .addHelpText("after", examples)
    .action(async (question, options) => {
      const { ask } = await import("./ask.js");
      end(await ask(question, options, io, frontOf(io)));
    });
}

const examples = `
Examples:
  glassloop ask "What is 15% of 240?"
  cat notes.md | glassloop ask "Summarise this"
  git diff | glassloop ask "Write a commit message for" - "in one line"
  glassloop ask --file notes.md --file plan.md "What is missing in the plan?"
  glassloop ask --file plan.png "What is wrong in this drawing?"
  glassloop ask --docs . --retrieval --embeddings openai:text-embedding-3-small "What is to be bought?"`;

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
