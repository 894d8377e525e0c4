import { describe, expect, it } from "vitest";
import { isSmallTalk, usableRephrasing } from "../../src/middleware/rephrasing.js";

describe("small talk", () => {
  it.each(["Hi", "Hey there :)", "Thank you.", "Danke schön!", "谢谢！", "👍", "..."])(
    "is %s: there is nothing to resolve",
    (message) => expect(isSmallTalk(message)).toBe(true),
  );

  it.each(["Hi, what is the weather?", "42", "And him?", "他是谁？", "ok google how old is he"])(
    "is not %s",
    (message) => expect(isSmallTalk(message)).toBe(false),
  );
});

describe("a rephrased question", () => {
  it.each([
    ["is taken as it is", "What is 54 °F in Celsius?", "What is 54 °F in Celsius?"],
    ["loses its quotes", '"What is 54 °F in Celsius?"', "What is 54 °F in Celsius?"],
    ["loses its label", "Standalone question: What is 54 °F in Celsius?", "What is 54 °F in Celsius?"],
    ["loses its thoughts", "<think>They mean 54.</think>\n\nWhat is 54 °F in Celsius?", "What is 54 °F in Celsius?"],
    ["ends with its first line", "What is 54 °F in Celsius?\nA: 12.2", "What is 54 °F in Celsius?"],
    ["keeps another language", "54 °F sind wie viel Grad Celsius?", "54 °F sind wie viel Grad Celsius?"],
  ])("%s", (_case, reply, question) => expect(usableRephrasing(reply, "And in Celsius?")).toBe(question));

  it.each([
    ["empty", " \n"],
    ["only quotes", '""'],
    ["a refusal", "I'm sorry, but I can't help with that."],
    ["a refusal of another kind", "As an AI language model, I cannot rephrase this."],
    ["much longer than what was asked", `What is ${"very ".repeat(80)}warm?`],
  ])("is not used when it is %s", (_case, reply) => expect(usableRephrasing(reply, "And in Celsius?")).toBeUndefined());

  it("keeps all its lines when the question had several lines", () => {
    expect(usableRephrasing("What does this print?\nprint(1)", "And this?\nprint(1)")).toBe(
      "What does this print?\nprint(1)",
    );
  });
});
