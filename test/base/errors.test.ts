import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { ThreadInUseError, ThreadNotFoundError } from "../../src/index.js";

describe("a thread in use", () => {
  it.each([
    { by: "this process", host: hostname(), pid: process.pid, runBy: "this process" },
    { by: "another process", host: hostname(), pid: 1, runBy: "process 1" },
    { by: "a process elsewhere", host: "elsewhere", pid: process.pid, runBy: `process ${process.pid} on elsewhere` },
  ])("is told to be run by $by, with its machine where that is another", ({ host, pid, runBy }) => {
    const error = new ThreadInUseError("t1", { host, pid });
    expect(error).toMatchObject({ host, pid, runBy });
    expect(error.message).toContain(`The thread "t1" is in use: ${runBy} runs it. Wait`);
  });
});

it("a thread that is not there is told of in the words of the library", () => {
  expect(new ThreadNotFoundError("t1").message).toBe(
    'There is no thread "t1" in this database. threads.list() shows the threads.',
  );
});
