// The agent that works on the plan of a run, and the person who decides about its calls.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import { createAgent } from "../../dist/agent/create-agent.js";
import { loadModel } from "../../dist/model/models.js";
import { approvalRequests } from "../../dist/turns/approvals.js";
import { refused } from "./plan.mjs";

export const mayLook = "May I look?";

/**
 * Makes the agent.
 *
 * @param options.modelUrl The address of the server that plays the model.
 * @param options.fileOf Names the file for the lines of a thread, by the config of a call.
 * @param options.approve True if people decide about effects, and about looks.
 * @param options.checkpointer The checkpointer; left out if a server gives it one.
 */
export async function planAgent({ modelUrl, fileOf, approve, checkpointer }) {
  const schema = z.object({ turn: z.number(), line: z.string() });
  const append = tool(
    async ({ turn, line }, config) => {
      await sleep(Math.random() * 20);
      appendFileSync(fileOf(config), `${turn} ${line}\n`);
      await sleep(Math.random() * 20);
      return "appended";
    },
    { name: "append", description: "Appends a line.", schema, metadata: { effects: true } },
  );
  const look = tool(
    async () => {
      await sleep(Math.random() * 10);
      return approve ? `seen, they said ${interrupt(mayLook)}` : "seen";
    },
    { name: "look", description: "Looks.", schema },
  );
  return createAgent({
    model: await loadModel("openai:planned", { baseUrl: modelUrl, apiKey: "none", maxRetries: 0 }),
    tools: [append, look],
    protocol: "tool-calling",
    approve: approve ? "effects" : "never",
    ...(checkpointer && { checkpointer }),
  });
}

/** Decides about some of the calls that wait, at least about one. Returns nothing if none does. */
export function someDecisions(state) {
  const chosen = approvalRequests(state).filter((_request, n) => n === 0 || Math.random() < 0.5);
  return Object.fromEntries(chosen.map(({ id, input }) => [id, input.line === refused ? "refuse" : "approve"]));
}
