// The agents of the measured server. MODEL_URL names the server that plays their model where its connection matters.
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { createAgent } from "../../dist/agent/create-agent.js";
import { loadModel } from "../../dist/model/models.js";
import { PacedModel } from "./model.mjs";

export { plain } from "./plain.mjs";

const look = tool(async ({ step }) => `${step} `.repeat(512), {
  name: "look",
  description: "Looks.",
  schema: z.object({ step: z.number() }),
});
const usual = { tools: [look], protocol: "tool-calling", rephrase: false };

/** The options of an agent whose model answers at once. */
export const quickOptions = { ...usual, model: new PacedModel({ delayMs: 0, pauseMs: 0 }) };
export const quick = createAgent(quickOptions);

const baseUrl = process.env.MODEL_URL ?? "http://127.0.0.1:1/v1";
const slowModel = await loadModel("openai:slow", { baseUrl, apiKey: "none", maxRetries: 0 });

/** An agent whose model streams from a server, without an end. */
export const slow = createAgent({ ...usual, model: slowModel });

/** An agent that calls the slow one in its tool. */
export const parent = createAgent({
  ...usual,
  tools: [slow.asTool({ name: "look", description: "Researches." })],
  model: new PacedModel({ delayMs: 0, pauseMs: 0, args: { question: "Go on." } }),
});
