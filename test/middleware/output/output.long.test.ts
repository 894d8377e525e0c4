import { tool } from "@langchain/core/tools";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/index.js";
import { modelAt, type OpenAIServer, served, startOpenAIServer } from "../../helpers/openai-server.js";
import { dialects } from "../../matrix/dialects.js";
import { isFull } from "../../matrix/matrix.js";
import { schemaCases } from "./schemas.js";

const search = tool(async ({ query }) => `Found: ${query}`, {
  name: "search",
  description: "Searches the web.",
  schema: z.object({ query: z.string() }),
});

let server: OpenAIServer;
afterEach(() => server.close());

async function modelOver(script: Parameters<typeof startOpenAIServer>[0]) {
  server = await startOpenAIServer(script);
  return modelAt(server.url);
}

/** Ways to write JSON that nearly fit. A fence inside the JSON of structured chat would be no JSON at all. */
const slips: readonly { readonly slip: string; readonly write: (json: string) => string; readonly inJson?: boolean }[] =
  [
    { slip: "as it is", write: (json) => json, inJson: true },
    { slip: "in a fence", write: (json) => `\`\`\`json\n${json}\n\`\`\`` },
    { slip: "after words", write: (json) => `Here is the JSON that you asked for:\n${json}` },
    { slip: "after the word json", write: (json) => `json\n${json}` },
    { slip: "between words and a fence", write: (json) => `Here it is:\n\`\`\`\n${json}\n\`\`\`\nI hope this helps.` },
    { slip: "with a trailing comma", write: (json) => json.replace(/([}\]])$/, ",$1"), inJson: true },
    { slip: "in single quotes", write: (json) => json.replaceAll('"', "'"), inJson: true },
  ];

/** The schemas whose slips are tried in the long tests. A bench tries those of all. */
const few = ["nested objects", "a list"];

describe.each(dialects)("in the protocol $protocol", ({ protocol, act, answer: say }) => {
  const call = served(act("search", { query: "cats" }));
  const inJson = (json: string) => `I know.\nAction:\n{"action": "Final Answer", "action_input": ${json}}`;
  const answer = (json: string) => (protocol === "structured-chat" ? inJson(json) : served(say(json)));

  describe.each(schemaCases)("$kind", ({ kind, schema, value, wrong }) => {
    const json = JSON.stringify(value);
    // The words of an enum are no object: there is no place for a comma, and no JSON in words.
    const possible = slips.filter(
      ({ slip, inJson }) =>
        (isFull || slip === "as it is" || few.includes(kind)) &&
        (protocol !== "structured-chat" || inJson) &&
        (kind !== "an enum" || slip === "as it is"),
    );

    it.each(possible)("$slip is the output, with tools and without", async ({ write }) => {
      for (const tools of [[search], []]) {
        const model = await modelOver([...(tools.length > 0 ? [call] : []), answer(write(json))]);
        const state = await createAgent({ model, protocol, tools, output: schema }).invoke({ messages: "Which?" });
        expect(state).toMatchObject({ output: value, answer: json, stopReason: "answered" });
        expect(state.messages.at(-1)?.text).toBe(json);
        expect(state.intermediateSteps.map(({ decision }) => decision.kind)).toEqual(tools.map(() => "action"));
        await server.close();
      }
    });

    it("that does not fit is corrected", async () => {
      const model = await modelOver([call, answer(JSON.stringify(wrong)), answer(json)]);
      const agent = createAgent({ model, protocol, tools: [search], output: schema });
      const state = await agent.invoke({ messages: "Which?" });
      expect(state).toMatchObject({ output: value, stopReason: "answered" });
      const [, step] = state.intermediateSteps;
      expect(step?.decision).toMatchObject({
        kind: "unparseable",
        why: expect.stringMatching(/^Its final answer is not right\. It /),
      });
      expect(server.prompts()[2]).toContain("Its final answer is not right.");
    });

    it("that never fits ends the turn with a reason", async () => {
      const model = await modelOver(() => answer(JSON.stringify(wrong)));
      const agent = createAgent({ model, protocol, tools: [search], output: schema });
      const state = await agent.invoke({ messages: "Which?" });
      expect(state).toMatchObject({ output: null, stopReason: "invalid-output" });
      expect(state.answer).toMatch(/^I stopped without an answer: the model's last 3 replies were no answer/);
      expect(server.requests).toHaveLength(3);
      expect(new Set(server.prompts()).size).toBe(3);
    });
  });
});
