import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createRetrievalAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { modelAt, startOpenAIServer } from "../helpers/openai-server.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const guide = () => {
  const model = scriptedModel(["Oslo."]);
  return { model, agent: createAgent({ model, name: "City guide (new)" }) };
};

describe("an agent as a tool", () => {
  it("takes a question, and has a name that servers accept", async () => {
    const { model, agent } = guide();
    await using server = await startOpenAIServer([
      { toolCalls: [{ name: "City_guide_new_", args: { question: "Which city?" } }] },
      "Oslo it is.",
    ]);
    const outer = createAgent({ model: modelAt(server.url), tools: [agent.asTool()] });
    expect((await outer.invoke({ messages: "Where?" })).intermediateSteps).toMatchObject([
      { results: [{ action: { toolInput: { question: "Which city?" } }, observation: "Oslo.", status: "success" }] },
    ]);
    expect(model.calls[0]?.prompt).toContain("Which city?");
    const parameters = { type: "object", properties: { question: { type: "string" } }, required: ["question"] };
    expect(server.requests[0]?.body.tools).toMatchObject([
      { function: { name: "City_guide_new_", description: /^Asks the agent City guide \(new\), /, parameters } },
    ]);
  });

  it.each(matrix(dialects, inReact, inToolCalls))("is called in $protocol", async ({ protocol, act, answer }) => {
    const { model, agent } = guide();
    const input = protocol === "tool-calling" ? { question: "Which city?" } : "Which city?";
    const outer = createAgent({
      model: scriptedModel([act("guide", input), answer("Done.")]),
      protocol,
      tools: [agent.asTool({ name: "guide", description: "Knows cities." })],
    });
    const { intermediateSteps } = await outer.invoke({ messages: "Where?" });
    expect(intermediateSteps[0]?.results).toMatchObject([{ observation: "Oslo.", status: "success" }]);
    expect(model.calls[0]?.prompt).toContain("Which city?");
  });

  it("is not called without a question", async () => {
    const { model, agent } = guide();
    const call = { tool_calls: [{ name: "guide", args: { questions: ["Which city?"] } }] };
    const outer = createAgent({
      model: scriptedModel([call, "Done."]),
      tools: [agent.asTool({ name: "guide", description: "Knows cities." })],
    });
    const { intermediateSteps } = await outer.invoke({ messages: "Where?" });
    expect(intermediateSteps[0]?.results).toMatchObject([
      { observation: expect.stringContaining("question"), status: "error" },
    ]);
    expect(model.calls).toEqual([]);
  });

  it("may also be a retrieval agent, or one with a schema of its own", () => {
    const retriever = { invoke: async () => [] };
    const tool = createRetrievalAgent({ model: "offline", retriever, name: "papers" }).asTool();
    expect(tool).toMatchObject({ name: "papers", description: "Asks the agent papers, and returns its answer." });
    const schema = z.object({ messages: z.string() }).describe("Asks the guide.");
    expect(guide().agent.asTool({ schema })).toMatchObject({ schema, description: "Asks the guide." });
  });
});
