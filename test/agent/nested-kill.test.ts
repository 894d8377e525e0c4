import { describe, expect, it } from "vitest";
import { runNested } from "./nested-agents.js";

describe("agents in the tools of an agent, killed between a question and the end", () => {
  it("two deep ask once, are resumed once, and pay for nothing twice", () => {
    const { signals, notes, messages } = runNested("two deep", [4, 7]);
    expect(signals).toEqual(["SIGKILL", "SIGKILL"]);
    expect(notes).toEqual([
      "outer human",
      "middle human",
      "inner human",
      "asks about inner-bill",
      // The second process shows the question again, pays, and dies while the model is asked.
      "asks about inner-bill",
      "inner-bill",
      "inner tool",
      "inner tool",
      "middle tool",
      "outer tool",
    ]);
    expect(messages).toEqual([
      ["human", null, "Pay the bills."],
      ["ai", "outer", ""],
      ["tool", "ask-middle", "inner-bill is paid"],
      ["ai", "outer", "inner-bill is paid"],
    ]);
  });

  it("two of a step ask one after the other, are resumed once, and pay for nothing twice", () => {
    const { signals, notes, messages } = runNested("two of a step", [7]);
    expect(signals).toEqual(["SIGKILL"]);
    expect(notes.toSpliced(1, 2, ...notes.slice(1, 3).toSorted())).toEqual([
      "outer human",
      "left human",
      "right human",
      "asks about left-bill",
      "left-bill",
      "left tool",
      "asks about right-bill",
      "asks about right-bill",
      "right-bill",
      "right tool",
      "outer tool",
    ]);
    expect(messages).toEqual([
      ["human", null, "Pay the bills."],
      ["ai", "outer", ""],
      ["tool", "ask-left", "left-bill is paid"],
      ["tool", "ask-right", "right-bill is paid"],
      ["ai", "outer", "right-bill is paid"],
    ]);
  });
});
