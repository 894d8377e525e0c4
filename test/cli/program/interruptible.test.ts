import { expect, test } from "vitest";
import { interruptible } from "../../../src/cli/program/interruptible.js";

test("the first Ctrl-C is listened to, the second ends the process as it does without a listener", async () => {
  const before = process.rawListeners("SIGINT");
  await interruptible(async (interrupted) => {
    const [listener] = process.rawListeners("SIGINT").filter((each) => !before.includes(each));
    expect(interrupted.aborted).toBe(false);
    listener?.call(process);
    expect(interrupted.aborted).toBe(true);
    expect(process.rawListeners("SIGINT")).toEqual(before);
  });
});

test("nothing is listened to any more once the work is done, or failed", async () => {
  const before = process.rawListeners("SIGINT");
  const failure = interruptible(async () => {
    throw new Error("failed");
  });
  await expect(failure).rejects.toThrow("failed");
  expect(process.rawListeners("SIGINT")).toEqual(before);
});
