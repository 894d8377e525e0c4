import { expect, it } from "vitest";
import { attempted, parsedJson } from "../../src/base/attempted.js";

it("returns what an action returns, and undefined if it throws", () => {
  expect(attempted(() => decodeURIComponent("%20"))).toBe(" ");
  expect(attempted(() => decodeURIComponent("%"))).toBeUndefined();
});

it("reads JSON, and nothing else", () => {
  expect(parsedJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parsedJson("null")).toBeNull();
  expect(parsedJson('{"a":')).toBeUndefined();
});
