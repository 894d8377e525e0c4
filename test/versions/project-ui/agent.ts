import { EventEmitter } from "node:events";
import { tool } from "@langchain/core/tools";
import { calculator, createAgent, loadModel, openThreads } from "glassloop";
import { z } from "zod";
import { type ServerReply, startOpenAIServer } from "./openai-server.js";

/** The replies of the model, in order. */
export const script: ServerReply[] = [];
export const model = await startOpenAIServer(() => script.shift() ?? { status: 500, message: "The script has ended." });

/** Tells when the tool `wait` began, and when it was told to stop. */
export const waits = new EventEmitter();
const wait = tool(
  async (_input, { signal }) => {
    waits.emit("begun");
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    waits.emit("stopped");
  },
  { name: "wait", description: "Waits.", schema: z.object({}) },
);

const pay = tool(({ to }) => `Paid ${to}.`, {
  name: "pay",
  description: "Pays.",
  schema: z.object({ to: z.string() }),
  metadata: { effects: true },
});

const threads = await openThreads("memory:");
export const agent = createAgent({
  model: await loadModel("openai:gpt-4o-mini", { baseUrl: model.url, apiKey: "key" }),
  tools: [calculator(), pay, wait],
  approve: "effects",
  multitaskStrategy: "interrupt",
  checkpointer: threads.checkpointer,
});
