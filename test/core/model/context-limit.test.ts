import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/base/errors.js";
import { roomIn } from "../../../src/core/model/context-limit.js";

const refusal = (words: string) => new ModelError("too-long", words);
/** A model without a profile, whose server does not tell its window. */
const unknown = () => ({ model: {}, server: { window: async () => undefined } });
/** Makes a prompt with a number of estimated tokens. Four of them are its frame. */
const prompt = (tokens: number) => [new HumanMessage("word".repeat(tokens - 4))];

describe("the room after a refusal", () => {
  it("is measured in the tokens that the server counted", () => {
    const room = roomIn(unknown(), undefined);
    const counted = "You requested 3900 tokens (3000 in the messages, 900 in the completion).";
    room.learn(refusal(`The maximum context length is 2000 tokens. ${counted}`), prompt(1_000));
    // The request keeps 900 tokens for the reply, which leaves 1100. The server counts three for one of the estimate.
    expect([366, 367].map((tokens) => room.fits(prompt(tokens)))).toEqual([true, false]);
  });

  it("is taken as a tenth too small if the server names no count", () => {
    const room = roomIn(unknown(), undefined);
    room.learn(refusal("The maximum context length is 2000 tokens."), prompt(1_100));
    expect([800, 801].map((tokens) => room.fits(prompt(tokens)))).toEqual([true, false]);
  });

  it("is counted as estimated if the server counts less", () => {
    const room = roomIn(unknown(), undefined);
    room.learn(refusal("The maximum context length is 2000 tokens. You sent at least 2001 tokens."), prompt(4_000));
    expect([1_600, 1_601].map((tokens) => room.fits(prompt(tokens)))).toEqual([true, false]);
  });

  it("is not larger than the option allows", () => {
    const room = roomIn(unknown(), 1_000);
    room.learn(refusal("The maximum context length is 2000 tokens. You sent 2400."), prompt(600));
    expect([200, 201].map((tokens) => room.fits(prompt(tokens)))).toEqual([true, false]);
  });

  it.each([
    ["more than a prompt of this size can have", "The context window is exceeded (code 4000)."],
    ["too few for any model", "The context window is exceeded (code 255)."],
    ["missing", "The context window is exceeded."],
  ])("is three quarters of what was sent if the number of the server is %s", (_, words) => {
    const room = roomIn(unknown(), undefined);
    room.learn(refusal(words), prompt(1_000));
    expect([600, 601].map((tokens) => room.fits(prompt(tokens)))).toEqual([true, false]);
  });
});
