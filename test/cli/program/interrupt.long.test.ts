import type { ChildProcess } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseEvents } from "../events.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer, whenAsked } from "../scripted-server.js";

const interrupt = (child: ChildProcess) => void child.kill("SIGINT");

test("The error for a thread that another process uses says what a person can do", async () => {
  await using folder = await workingFolder();
  await using model = await scriptedServer([{ hang: true }]);
  const results: Promise<{ exitCode: number | null; stderr: string }>[] = [];
  await folder.run(["ask", ...model.options, "-t", "sums", "What is two plus two?"], {
    during: whenAsked(model, (child) => {
      const second = folder.run(["ask", "--model", "offline", "-t", "sums", "What is 3 + 3?"]);
      results.push(second.finally(() => interrupt(child)));
    }),
  });
  const second = await results[0];
  expect(second?.stderr).toContain("It is in use at the moment.");
  expect(second?.stderr).toMatch(
    /error: The thread "sums" is in use: process \d+ runs it\. Wait .* another thread\.\n$/,
  );
  expect(second?.exitCode).toBe(1);
});

describe.concurrent("Ctrl-C", () => {
  test("stops a turn, prints how to resume it, and the thread takes the next question", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([{ hang: true }, " Easy.\nFinal Answer: Four."]);
    const stopped = await folder.run(["ask", ...model.options, "-t", "sums", "What is two plus two?"], {
      during: whenAsked(model, interrupt),
    });
    expect(stopped).toMatchObject({ exitCode: 130, stdout: "" });
    expect(stopped.stderr).toMatch(
      /\nInterrupted. Go on with: glassloop chat --thread sums --model scripted --base-url \S+ --protocol react --tools calculator\n$/,
    );

    const resumed = await folder.run(["ask", ...model.options, "-t", "sums", "Please, what is two plus two?"]);
    expect(resumed.stderr).toContain('The last one was stopped before its answer: "What is two plus two?"');
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "Four.\n" });
  });

  test("stops a chat, and ends its JSON lines", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([{ hang: true }]);
    const { exitCode, stdout, stderr } = await folder.run(["chat", "--json", ...model.options], {
      input: "What is two plus two?\nAnd three plus three?\n",
      during: whenAsked(model, interrupt),
    });
    expect(parseEvents(stdout).at(-1)).toMatchObject({ type: "turn-end", stopReason: "cancelled" });
    expect(stderr).toContain("Interrupted.");
    expect(exitCode).toBe(130);
    expect(model.server.requests.length).toBe(1);
  });
});
