import { describe, expect, test } from "vitest";
import { workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

const start = "start.js";
const rubiksCube = "What is the square root of the world record time for solving a Rubik's cube?";

describe.concurrent("npm start, as a process, without a key or a network", () => {
  test("answers a question from the sample documents and by calculation, and shows the steps", async () => {
    await using folder = await workingFolder();
    const { exitCode, stdout, stderr } = await folder.run([rubiksCube], { entry: start });
    expect(stderr).toMatch(/Action: document_search\n.*Action: calculator\n/s);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/1\.7\d/)]);
    expect(await folder.files()).toEqual([".glassloop"]);
  });

  test("talks of the Rubik's cube and of numbers on one thread, and goes on with it later", async () => {
    await using folder = await workingFolder();
    const first = await folder.run(["chat", "-t", "seeds"], {
      entry: start,
      input: [
        "What is the world record for solving a Rubik's cube?",
        "Can a robot solve it faster?",
        "Who made this robot?",
        "What is the square root of 16?",
      ].join("\n"),
    });
    expect(first.stdout).toMatch(/> Can a robot solve it faster\?\nQuestion: .*Rubik's cube.*\n/);
    expect(first.stdout).toContain("> Who made this robot?\n");
    expect(first.exitCode).toBe(0);

    const second = await folder.run(["chat", "-t", "seeds"], { entry: start, input: "What is that squared?\n" });
    expect(second.stderr).toContain("Thread seeds, 4 turns so far");
    expect(second.stdout).toMatch(/> What is that squared\?\nQuestion: .*\n/);
    expect(second.stdout).toMatch(/Action: calculator\n/);
    expect(second.exitCode).toBe(0);
  });
});

test("npm start runs a command, too, and its hints begin with npm start", async () => {
  await using folder = await workingFolder();
  await using model = await scriptedServer([
    ...squareRootReplies.slice(0, 1),
    ...squareRootReplies.slice(0, 1),
    "About 5.",
  ]);
  const asked = await folder.run(["-t", "sums", ...model.options, "--max-steps", "1", squareRoot], { entry: start });
  expect(asked.stderr).toContain(
    `Go on with this turn: npm start -- threads resume sums --model scripted --base-url ${model.server.url} --protocol react --tools calculator --max-steps 1\n`,
  );
  const { exitCode, stdout } = await folder.run(["threads", "list"], { entry: start });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(squareRoot)]);
  const missing = await folder.run(["threads", "show", "nobody"], { entry: start });
  expect(missing.stderr).toBe('error: There is no thread "nobody". "npm start -- threads list" shows the threads.\n');
});
