import { expect, onTestFinished, test } from "vitest";
import { type Answerer, personAt } from "../../../src/cli/deciding/person.js";
import { FakeKeyboard, fakeIo } from "../fake-io.js";

/** A person at a terminal who types these lines, each when they are asked. */
function personWho(...lines: readonly string[]): Answerer {
  const stdin = new FakeKeyboard();
  const io = fakeIo({ stdin, terminal: "stdout" });
  const left = [...lines];
  const timer = setInterval(() => {
    const asked = io.stdout.text.split("Your answer: ").length - 1;
    if (asked > lines.length - left.length) stdin.write(left.shift() ?? "\u0004");
  }, 5);
  onTestFinished(() => clearInterval(timer));
  const person = personAt(io);
  if (person === undefined) throw new Error("There is no terminal.");
  return person;
}

const here = new AbortController().signal;
const question = { type: "interrupt", interrupt: "1", value: "Sure?" } as const;

test.for([
  ["yes", "yes"],
  ["42", "42"],
  ["true", "true"],
  ['{"sure": true}', { sure: true }],
  ["[1, 2]", [1, 2]],
  ["{sure}", "{sure}"],
] as const)("A tool's own question is answered by the line %j", async ([line, value]) => {
  expect(await personWho(`${line}\r`)(question, here)).toEqual({ value });
});

test("A tool's own question is asked again after an empty line, until the person leaves", async () => {
  expect(await personWho("\r")(question, here)).toBeUndefined();
});
