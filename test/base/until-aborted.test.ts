import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { untilAborted } from "../../src/base/until-aborted.js";

it("waits for a promise, with and without a signal", async () => {
  const { signal } = new AbortController();
  await expect(untilAborted(Promise.resolve(1), undefined)).resolves.toBe(1);
  await expect(untilAborted(Promise.resolve(2), signal)).resolves.toBe(2);
  await expect(untilAborted(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("rejects with the reason of the signal, also if the signal has aborted before", async () => {
  const stop = new AbortController();
  const never = new Promise<never>(() => {});
  const waiting = untilAborted(never, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(untilAborted(never, stop.signal)).rejects.toThrow("stopped");
});
