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

it.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ["null", null],
  ['{"a":', undefined],
  ["9007199254740991", 9007199254740991],
  ["[ 9007199254740992, -9007199254740993 ]", ["9007199254740992", "-9007199254740993"]],
  [
    String.raw`{"a\\":12345678901234567890,"b":"9007199254740993"}`,
    { "a\\": "12345678901234567890", b: "9007199254740993" },
  ],
  [String.raw`"a\", 9007199254740993"`, 'a", 9007199254740993'],
  ["[1.12345678901234567890, 1e30]", [1.1234567890123457, 1e30]],
])("reads the JSON %s and nothing else, with the digits of long integers", (json, value) => {
  expect(parsedJson(json)).toEqual(value);
});
