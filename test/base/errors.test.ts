import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import {
  DocumentSearchError,
  GlassloopError,
  hasCode,
  InvalidInputError,
  InvalidOptionError,
  McpServerError,
  McpToolsChangedError,
  ModelError,
  NewerDatabaseError,
  RetrieverError,
  RunError,
  SetupError,
  ThreadError,
  ThreadInUseError,
  ThreadsDatabaseError,
  ToolError,
} from "../../src/index.js";

const page = readFileSync("docs/errors.md", "utf8");

it.each([
  new GlassloopError("script-ended", "It ended."),
  new InvalidInputError("It is empty."),
  new InvalidOptionError("tools", "give a list."),
  new SetupError("missing-package", "pg", "Threads"),
  new ModelError("server", "It failed."),
  new ToolError("web-page-failed", "It cannot be read.", 404),
  new McpServerError("s", "is gone."),
  new McpToolsChangedError([], "pins.json"),
  new DocumentSearchError("docs", "there is no folder."),
  new RetrieverError("r", "it is gone."),
  new ThreadsDatabaseError("memory:", "it is full."),
  new NewerDatabaseError("memory:", "3", 2),
  new ThreadError("damaged-thread", "t"),
  new ThreadInUseError("t", "host", 1),
  new RunError("too-many-runs", "r"),
  new ThreadError("foreign-turn", "t", "retrieve"),
])("the page of errors has the code and the class of: %s", (error) => {
  expect(error).toBeInstanceOf(GlassloopError);
  expect(page).toContain(`| \`${error.code}\` | \`${error.name}\` |`);
});

describe("a thread in use", () => {
  it.each([
    { by: "this process", host: hostname(), pid: process.pid, runBy: "this process" },
    { by: "another process", host: hostname(), pid: 1, runBy: "process 1" },
    { by: "a process elsewhere", host: "elsewhere", pid: process.pid, runBy: `process ${process.pid} on elsewhere` },
  ])("names $by as the holder, with the machine if it is another one", ({ host, pid, runBy }) => {
    const error = new ThreadInUseError("t1", host, pid);
    expect(error).toMatchObject({ name: "ThreadInUseError", code: "thread-in-use", threadId: "t1", host, pid });
    expect(error.problem).toBe(`The thread "t1" is in use: ${runBy} runs it.`);
    expect(error.message).toContain(`The thread "t1" is in use: ${runBy} runs it. Wait`);
  });
});

it("an error is recognised by its code, whatever its class", () => {
  const error = new ThreadError("thread-not-found", "t1");
  expect(error.message).toBe('There is no thread "t1". threads.list() shows the threads of this database.');
  expect([hasCode(error, "thread-not-found"), hasCode(error, "thread-exists")]).toEqual([true, false]);
  expect(hasCode(new InvalidInputError("No."), "invalid-input")).toBe(true);
  expect(hasCode({ code: "thread-not-found" }, "thread-not-found")).toBe(false);
});
