import { expect, it } from "vitest";
import { randomFrom } from "../../helpers/random.js";
import { brokenPromises, drawReply, longLine, splitProtocols } from "./read-replies.js";

it.each(splitProtocols)("400 replies in $name, each cut in 20 ways, are emitted as they are parsed", ({ protocol }) => {
  const random = randomFrom(11);
  const problems: unknown[] = [];
  for (let n = 0; n < 400; n += 1) {
    const reply = drawReply(random);
    for (const why of brokenPromises(protocol, reply, 20, random)) problems.push([why, reply.text]);
  }
  expect(problems).toEqual([]);
});

it.each(splitProtocols)("replies in $name after a long line are emitted as they are parsed", ({ protocol }) => {
  const random = randomFrom(12);
  const problems: unknown[] = [];
  for (let n = 0; n < 20; n += 1) {
    const { text, tools } = drawReply(random);
    for (const lines of [text, text.replaceAll("\n", " ")]) {
      const reply = { text: longLine + lines, tools };
      for (const why of brokenPromises(protocol, reply, 3, random)) problems.push([why, reply.text]);
    }
  }
  expect(problems).toEqual([]);
});
