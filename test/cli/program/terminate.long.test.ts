import type { ChildProcess } from "node:child_process";
import { describe, expect, test } from "vitest";
import { held } from "../../helpers/held.js";
import { parseEvents } from "../events.js";
import { workingFolder } from "../run-cli.js";
import { type ScriptedServer, scriptedServer, whenAsked } from "../scripted-server.js";

const terminate = (child: ChildProcess) => void child.kill("SIGTERM");

/** Sends SIGTERM once the model was asked (so often), and acts when it was acknowledged. */
function terminated(model: ScriptedServer, next: (child: ChildProcess) => void, requests = 1) {
  const act = (child: ChildProcess) => {
    child.stderr?.on("data", (text: Buffer) => {
      if (text.includes("Asked to end")) next(child);
    });
    terminate(child);
  };
  return whenAsked(model, act, requests);
}

/** A reply whose end comes when it is released. */
function heldReply() {
  const { hold, release } = held();
  return { reply: { text: " Easy.\nFinal Answer: Four.", hold }, release };
}

/** A module that lets the process take SIGTERM at the moment when it writes the answer, which is in the turn's last step. */
const terminatedAtAnswer = `data:text/javascript,${encodeURIComponent(`
  const write = process.stdout.write;
  process.stdout.write = function (text, ...rest) {
    if (String(text).startsWith('{"type":"answer",')) process.emit("SIGTERM", "SIGTERM");
    return write.call(this, text, ...rest);
  };`)}`;

describe.concurrent("SIGTERM", () => {
  test("ends the process at once when it comes twice; once, it lets the step finish, prints how to resume, and no model call is lost", async () => {
    await using folder = await workingFolder();
    const { reply, release } = heldReply();
    await using model = await scriptedServer([{ hang: true }, reply]);
    const killed = await folder.run(["ask", ...model.options, "-t", "sums", "What is two plus two?"], {
      during: terminated(model, terminate),
    });
    expect(killed).toMatchObject({ exitCode: null, signal: "SIGTERM" });
    const resume = ["threads", "resume", "sums", ...model.options];
    const stopped = await folder.run(resume, { during: terminated(model, release, 2) });
    expect(stopped).toMatchObject({ exitCode: 143, stdout: "" });
    expect(stopped.stderr).toMatch(
      /Asked to end: .*\n.*Go on with: glassloop chat --thread sums --model scripted --base-url \S+ --protocol react --tools calculator\n$/s,
    );
    expect(await folder.run(resume)).toMatchObject({ exitCode: 0, stdout: "Four.\n" });
    expect(model.server.requests).toHaveLength(2);
  });

  test("in the last step of a turn lets the turn end: the answer is kept, and nothing is left to resume", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([" Easy.\nFinal Answer: Four."]);
    const stopped = await folder.run(["ask", "--json", ...model.options, "-t", "sums", "What is two plus two?"], {
      env: { NODE_OPTIONS: `--import ${terminatedAtAnswer}` },
    });
    expect(stopped).toMatchObject({ exitCode: 143, stderr: expect.stringContaining("Asked to end") });
    expect(parseEvents(stopped.stdout).slice(-2)).toMatchObject([
      { type: "answer", text: "Four." },
      { type: "turn-end", stopReason: "answered" },
    ]);
    const listed = await folder.run(["threads", "list", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ thread: "sums", turns: 1, status: "idle" });
  });

  test("ends a chat after its step, without another prompt", async () => {
    await using folder = await workingFolder();
    const { reply, release } = heldReply();
    await using model = await scriptedServer([reply]);
    const { exitCode } = await folder.run(["chat", ...model.options], {
      input: "What is two plus two?\nAnd three plus three?\n",
      during: terminated(model, release),
    });
    expect(exitCode).toBe(143);
    expect(model.server.requests).toHaveLength(1);
  });
});
