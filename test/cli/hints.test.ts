import { expect, test } from "vitest";
import type { ServerReply } from "../helpers/openai-server.js";
import { runProgram } from "./fake-io.js";
import { modelAndDatabase, squareRoot, squareRootReplies } from "./scripted-server.js";
import { naming } from "./waiting-id.js";

const answer = " I now know\nFinal Answer: The square root of 25 is 5.";
const [call = ""] = squareRootReplies;

/** The words of a command, as a shell would take them. */
function words(command: string): string[] {
  const quoted = command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return quoted.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, "$1$2$3"));
}

/** The commands that a text names. Each ends at a quotation mark, at the end of its sentence, or at that of its line. */
function hintsIn(text: string): string[] {
  return [...text.matchAll(/\bglassloop ([^"\n]+?)(?="|[.,]? *$|[.,] )/gm)].map(([, command = ""]) => command);
}

/** A database with a name that a shell would cut, a model with a script, and a way to run what a hint says. */
async function place(replies: readonly ServerReply[]) {
  const at = await modelAndDatabase(replies, "my threads.db");
  return {
    ...at,
    ask: (args: readonly string[]) => at.run(["ask", "-t", "it's", ...at.model.options, ...args, squareRoot]),
    /** Runs the only command that a text names, with more words after it. */
    follow(text: string, more: readonly string[] = [], io: Parameters<typeof runProgram>[1] = {}) {
      const hints = hintsIn(text);
      expect(hints, text).toHaveLength(1);
      return runProgram([...words(hints[0] ?? ""), ...more], io);
    },
  };
}

test("the hint after a limit continues the turn, with its model, its server, its database and any id", async () => {
  await using at = await place([call, call, "About 5.", answer]);
  const env = { OPENAI_API_KEY: "sk-of-the-person" };
  const options = ["-t", "-it's", ...at.model.options, "--max-steps", "1"];
  const limited = await at.run(["ask", ...options, squareRoot], { env });
  const resumed = await at.follow(limited.stderr, [], { env });
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
  const keys = at.model.server.requests.map(({ headers }) => headers.authorization);
  expect(new Set(keys)).toEqual(new Set(["Bearer sk-of-the-person"]));
  const again = await at.follow(limited.stderr);
  expect([again.stdout, again.stderr]).toEqual(["", expect.stringContaining("There is nothing to resume")]);
});

test("the hint on a waiting thread, also in a chat, decides about its call", async () => {
  await using at = await place([call, answer]);
  const waiting = await at.ask(["--approve", "always"]);
  expect(waiting.exitCode).toBe(3);
  const { stderr } = await at.run(["chat", "-t", "it's", ...at.model.options, "--approve", "always"]);
  const [line = ""] = /^.*Decide: .*$/m.exec(stderr) ?? [];
  expect(hintsIn(line)).toEqual(hintsIn(waiting.stderr));
  const decided = await at.follow(line, ["approve", ...naming(waiting.stderr)]);
  expect(decided).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
});

test("the hint on a thread whose turn failed resumes the turn, after each command", async () => {
  await using at = await place([401, answer]);
  await at.ask([]);
  const hintAfter = async (...command: readonly string[]) =>
    /^.*threads resume.*$/m.exec((await at.run([...command, ...at.model.options])).stderr)?.[0] ?? "";
  const first = await hintAfter("chat", "-t", "it's");
  const second = await hintAfter("threads", "decide", "it's", "approve");
  expect(hintsIn(first)).toEqual(hintsIn(second));
  const resumed = await at.follow(second);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
});

test("the hint at the end of a chat opens the chat again", async () => {
  await using at = await place([answer, answer]);
  await at.ask([]);
  const left = await at.run(["chat", "-t", "it's", ...at.model.options]);
  const [line = ""] = /^Go on with: .*$/m.exec(left.stderr) ?? [];
  expect((await at.follow(line)).stderr).toContain("Thread it's, 1 turn so far");
});

test("the hint for a missing thread or checkpoint lists the existing ones of the same database", async () => {
  await using at = await place([answer]);
  await at.ask([]);
  for (const command of ["show nobody", "resume nobody", "remove nobody --yes", "fork nobody x"]) {
    const { stderr } = await at.run(["threads", ...command.split(" ")]);
    expect((await at.follow(stderr)).stdout).toContain(squareRoot);
  }
  const { stderr } = await at.run(["threads", "fork", "it's", "xyz"]);
  expect((await at.follow(stderr)).stdout).toContain("Turn 1");
});
