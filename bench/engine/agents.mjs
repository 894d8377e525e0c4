// The graphs of the measured engines. All sides run the same ones.
import { createAgent } from "../../dist/agent/create-agent.js";
import { quickOptions } from "../server/agents.mjs";
import { PacedModel } from "../server/model.mjs";

export { plain } from "../server/plain.mjs";

/** Three tool steps with results of 1 KB, and a model that answers at once. */
export const quick = createAgent(quickOptions);

/** One model call, of a model that answers at once. */
export const short = createAgent({
  model: new PacedModel({ delayMs: 0, pauseMs: 0, steps: 0 }),
  protocol: "tool-calling",
  rephrase: false,
});

/** The same as the quick one, with a model that takes a second for each reply. */
export const lasting = createAgent({ ...quickOptions, model: new PacedModel({ delayMs: 1_000, pauseMs: 0 }) });

/** The same as the quick one, with an answer that takes two seconds: a hundred words, one every 20 ms. */
export const talking = createAgent({
  ...quickOptions,
  model: new PacedModel({ delayMs: 0, pauseMs: 20, answer: "word ".repeat(100) }),
});
