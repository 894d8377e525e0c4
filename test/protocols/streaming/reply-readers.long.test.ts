import { expect, it } from "vitest";
import { randomFrom } from "../../helpers/random.js";
import { isFull } from "../../matrix/matrix.js";
import { brokenPromises, drawReply, longLine, splitProtocols } from "./read-replies.js";

it.each(splitProtocols)("replies in $name, each cut in 10 ways, are emitted as they are parsed", ({ protocol }) => {
  const random = randomFrom(14);
  const problems: (readonly [why: string, text: string])[] = [];
  for (let n = 0; n < (isFull ? 200 : 60); n += 1) {
    const reply = drawReply(random);
    for (const why of brokenPromises(protocol, reply, 10, random)) problems.push([why, reply.text]);
  }
  // What a line of another form inside or behind JSON makes of it is known at the end. The turn then takes the answer back.
  const takenBack = problems.filter(([why]) => why === "sent what is no answer");
  expect(problems.filter((problem) => !takenBack.includes(problem))).toEqual([]);
  expect(takenBack.length).toBeLessThanOrEqual(2);
});

it.each(splitProtocols)("replies in $name after a long line are emitted as they are parsed", ({ protocol }) => {
  const random = randomFrom(12);
  const problems: unknown[] = [];
  for (let n = 0; n < (isFull ? 20 : 5); n += 1) {
    const { text, tools } = drawReply(random);
    for (const lines of [text, text.replaceAll("\n", " ")]) {
      const reply = { text: longLine + lines, tools };
      for (const why of brokenPromises(protocol, reply, 3, random)) problems.push([why, reply.text]);
    }
  }
  expect(problems).toEqual([]);
});
