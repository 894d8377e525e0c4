import { expect, test } from "vitest";
import { interruptible } from "../../../src/cli/program/interruptible.js";

test("the first Ctrl-C calls the listener, the second ends the process", async () => {
  const before = process.rawListeners("SIGINT");
  await interruptible(async (interrupted) => {
    const [listener] = process.rawListeners("SIGINT").filter((each) => !before.includes(each));
    expect(interrupted.aborted).toBe(false);
    listener?.call(process);
    expect(interrupted.aborted).toBe(true);
    expect(process.rawListeners("SIGINT")).toEqual(before);
  });
});

test("the listener is removed when the work has ended or failed", async () => {
  const before = process.rawListeners("SIGINT");
  const failure = interruptible(async () => {
    throw new Error("failed");
  });
  await expect(failure).rejects.toThrow("failed");
  expect(process.rawListeners("SIGINT")).toEqual(before);
});
