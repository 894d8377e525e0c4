import { expect, it } from "vitest";
import { JsonReader } from "../../../../src/protocols/reading/calls/json-reader.js";
import { splitSections } from "../../../../src/protocols/reading/sections/sections.js";

it("a reply with thousands of labels is cut into some hundred parts, and the rest stays one text", () => {
  const text = "Thought: I look.\n".repeat(5_000);
  const sections = splitSections(text, new JsonReader(text), () => true);
  expect(sections.length).toBeLessThan(1_000);
  expect(sections.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
});
