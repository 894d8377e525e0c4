import { expect, test } from "vitest";
import { runTurn } from "../../../src/cli/session/run-turn.js";
import { openSession } from "../../../src/cli/session/session.js";
import type { TurnEvent } from "../../../src/index.js";
import { fakeIo } from "../fake-io.js";

test("A turn that another process has ended meanwhile causes an error message without a stack", async () => {
  const place = { thread: "sums", database: "memory:", threads: undefined, found: undefined, goesOn: false };
  await using session = await openSession(place, {}, fakeIo({ env: { GLASSLOOP_MODEL: "offline" } }));
  const shown: TurnEvent[] = [];
  const view = { wantsPrompts: false, show: (event: TurnEvent) => void shown.push(event) };
  const io = fakeIo();
  const run = (start?: null) => runTurn(session, { asked: "Hello?", start }, view, new AbortController().signal, io);
  expect(await run()).toBe(0);
  expect(await run(null)).toBe(1);
  expect(io.stderr.text).toMatch(/^error: Another process has gone on with the thread "sums" meanwhile/);
  expect(shown.at(-1)).toMatchObject({ type: "error", name: "GlassloopError", code: "thread-moved-on" });
});
