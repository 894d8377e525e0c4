import { expect, it } from "vitest";
import { attempted, parsedJson, undefinedOn } from "../../src/base/attempted.js";
import { ThreadError } from "../../src/base/errors.js";

it("returns what an action returns, and undefined if it throws", () => {
  expect(attempted(() => decodeURIComponent("%20"))).toBe(" ");
  expect(attempted(() => decodeURIComponent("%"))).toBeUndefined();
});

it("gives undefined for an error with a code, and throws all others", async () => {
  const failure = new ThreadError("thread-not-found", "t1");
  await expect(Promise.reject(failure).catch(undefinedOn("thread-not-found"))).resolves.toBeUndefined();
  await expect(Promise.reject(failure).catch(undefinedOn("thread-exists"))).rejects.toBe(failure);
});

it("reads JSON, and nothing else", () => {
  expect(parsedJson('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(parsedJson("null")).toBeNull();
  expect(parsedJson('{"a":')).toBeUndefined();
});
