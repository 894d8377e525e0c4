import { expect, it } from "vitest";
import { withLive } from "../../src/turn/shown-turns.js";
import { turnWith } from "./turns.js";

const kept = turnWith({ answer: undefined, stopReason: "interrupted" });

it("keeps in sight what was written until a turn was stopped", () => {
  const stopped = turnWith({ answer: "It took", stopReason: "cancelled" });
  expect(withLive(kept, stopped)).toMatchObject({ answer: "It took", stopReason: "cancelled" });
  const before = turnWith({ answer: undefined, writing: "I look", stopReason: "cancelled" });
  expect(withLive(kept, before)).toMatchObject({ answer: "I look", stopReason: "cancelled" });
});

it("shows the answer that is kept, whatever was told of it", () => {
  const told = turnWith({ answer: "It took", stopReason: "cancelled" });
  expect(withLive(turnWith({ answer: "All of it." }), told)).toMatchObject({
    answer: "All of it.",
    stopReason: "answered",
  });
  expect(withLive(kept, turnWith({ stopReason: undefined }))).toMatchObject({
    answer: undefined,
    stopReason: "interrupted",
  });
});
