import { expect, it } from "vitest";
import { JsonReader } from "../../../../src/protocols/reading/calls/json-reader.js";

it("the JSON reader stops after it has scanned a long reply a few times", () => {
  const text = `{"text": "${"word ".repeat(100_000)}"}`;
  const json = new JsonReader(text);
  const looks = Array.from({ length: 5 }, () => json.endOf(0));
  expect(looks.at(0)).toBe(text.length);
  expect(looks.at(-1)).toBeUndefined();
});
