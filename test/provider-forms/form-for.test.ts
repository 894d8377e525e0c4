import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { expect, it } from "vitest";
import { z } from "zod";
import { approvalRequests, createAgent, decide, promptOf, promptsOf } from "../../src/index.js";
import { geminiTools } from "../../src/model/gemini-tools.js";
import { modelAbilities } from "../../src/model/models.js";
import { formsOfPackages, formsOfServers, openaiForm } from "../../src/model/tables/forms.js";
import { formFor, refusalOf } from "../../src/provider-forms/form-for.js";
import type { ProviderForm } from "../../src/provider-forms/provider-form.js";
import { scriptedModel } from "../../src/testing/index.js";
import { modelAt, startOpenAIServer } from "../helpers/openai-server.js";
import { makeOddTools, oddHistories, oddTools } from "../helpers/providers/odd-conversations.js";
import { refusedCalls, refusedTool, rules, type Schema } from "../helpers/providers/refusals.js";
import { allOf } from "../threads/open-kind.js";

const any: ProviderForm = { ids: "[^]", names: "[^]", fields: "[^]", blocks: true, schemas: [] };
const { ChatAnthropic = any, ChatGoogleGenerativeAI = any, ChatMistralAI = any, ChatOllama = any } = formsOfPackages;
const forms = [
  ["openai", openaiForm],
  ["groq", openaiForm],
  ["anthropic", ChatAnthropic],
  ["gemini", ChatGoogleGenerativeAI],
  ["mistral", ChatMistralAI],
  ["ollama", ChatOllama],
] as const;
const specOf = (name: string, parameters: Schema) => ({ name, description: "", parameters });
const toolSchema = z.object({ function: z.object({ name: z.string() }) });
const done = { role: "user", content: "Go." };
const thread = { configurable: { thread_id: "1" } };

it("tools with odd names and schemas are sent in a form that is taken, and called under their own names", async () => {
  const made: unknown[] = [];
  const tools = makeOddTools((name, input) => made.push([name, input]));
  await using server = await startOpenAIServer(({ body }, index) => {
    const names = z
      .array(toolSchema)
      .parse(body.tools)
      .map((one) => one.function.name);
    const toolCalls = oddTools.map(([, , args], n) => ({ name: names[n] ?? "", args, id: `call_${n}` }));
    return index === 0 ? { toolCalls } : "Done.";
  });
  const agent = createAgent({ model: modelAt(server.url), tools, checkpointer: new MemorySaver(), approve: "always" });
  const asked = await agent.invoke({ messages: [done] }, thread);
  const requests = approvalRequests(asked);
  const own = oddTools.map(([name]) => name);
  expect(requests.map((request) => request.tool)).toEqual(own);
  const decisions = Object.fromEntries(requests.map(({ id }) => [id, { type: "approve" } as const]));
  const state = await agent.invoke(decide(decisions), thread);
  expect(state.answer).toBe("Done.");
  expect(made).toEqual(oddTools.map(([name, , input]) => [name, input]));
  expect(AIMessage.isInstance(state.messages[1]) && state.messages[1].tool_calls?.map(({ name }) => name)).toEqual(own);
  expect(state.messages[2]?.content).toHaveLength(2);
  const prompts = await allOf(promptsOf(agent, "1"));
  expect(prompts.map(({ exact }) => exact)).toEqual([true, true]);
  expect(prompts[1]?.toolCalls).toEqual([]);
  expect(prompts[0]?.tools.map(({ name }) => name)).toEqual(
    z
      .array(toolSchema)
      .parse(server.requests[0]?.body.tools)
      .map((one) => one.function.name),
  );
});

it.each(forms)("names and schemas have a form that %s takes, which does not depend on their order", (name, form) => {
  const given = oddTools.map(([tool, schema]) => specOf(tool, schema));
  const { tools, ownName } = formFor(form, [], given);
  const declared = name === "gemini" && geminiTools(tools) ? tools.filter((tool) => !geminiTools([tool])) : tools;
  expect(refusedTool(rules[name], declared)).toBeUndefined();
  expect(tools.map((tool) => ownName(tool.name))).toEqual(given.map((tool) => tool.name));
  expect(formFor(form, [], given.toReversed()).tools.toReversed()).toEqual(tools);
});

it.each<[keyof typeof rules, ProviderForm, string, Schema]>([
  [
    "openai",
    openaiForm,
    "a-b_1",
    { type: "object", properties: { a: { type: "array", items: {} }, b: { anyOf: [] } } },
  ],
  [
    "anthropic",
    ChatAnthropic,
    "n".repeat(128),
    { type: "object", properties: { "a.b": { type: "array" } }, $defs: {} },
  ],
  ["gemini", ChatGoogleGenerativeAI, "a.b:c", { type: "object", properties: { a: { type: "string", enum: ["a"] } } }],
  ["mistral", ChatMistralAI, "a-b", { anyOf: [{ type: "object" }] }],
  ["ollama", ChatOllama, "a b", { type: "object" }],
])("what %s takes is sent unchanged", (provider, form, name, schema) => {
  const given = specOf(name, schema);
  expect(refusedTool(rules[provider], [given])).toBeUndefined();
  expect(formFor(form, [], [given]).tools[0]).toBe(given);
  if (provider === "gemini") expect(geminiTools([given])).toBeUndefined();
  const ids = provider === "mistral" ? "abcdefgh1" : "toolu_1";
  const calls = [{ id: ids, name, args: {} }];
  const use = { type: "tool_use", id: ids, name, input: {} };
  const blocks = [{ type: "text", text: "a" }, ...(form.blocks ? [use] : [])];
  const messages = [
    new SystemMessage("s"),
    new HumanMessage("q"),
    new AIMessage({ content: blocks, tool_calls: calls }),
    new ToolMessage({ content: "", tool_call_id: ids, name }),
  ];
  for (const [n, message] of formFor(form, messages, [given]).messages.entries()) expect(message).toBe(messages[n]);
});

it.each(
  forms.flatMap(([name, form]) =>
    Object.entries(oddHistories).map(([what, given]) => [name, what, form, given] as const),
  ),
)("%s takes a conversation with %s", (name, _what, form, given) => {
  const { messages } = formFor(form, given, []);
  const before: string[] = [];
  const open: string[] = [];
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) expect(open.shift()).toBe(message.tool_call_id);
    else if (AIMessage.isInstance(message) && message.tool_calls?.length) {
      const calls = message.tool_calls.map(({ id = "", name }) => ({ id, name }));
      expect(refusedCalls(rules[name], calls, before)).toBeUndefined();
      before.push(...calls.map(({ id }) => id));
      open.push(...calls.map(({ id }) => id));
    } else expect(message.text.trim()).not.toBe("");
    const texts = Array.isArray(message.content) ? message.content.map(({ text }) => String(text).trim()) : [];
    expect(texts).not.toContain("");
  }
  expect(open).toEqual([]);
  expect(formFor(form, given.slice(0, -1), []).messages).toEqual(messages.slice(0, -1));
});

it.each(Object.entries(oddHistories))(
  "a conversation with %s is continued, and its prompt is exact",
  async (_, messages) => {
    await using server = await startOpenAIServer(["Fine."]);
    const look = tool(() => "5", { name: "look", description: "Looks.", schema: z.object({ q: z.string() }) });
    const agent = createAgent({ model: modelAt(server.url), tools: [look], checkpointer: new MemorySaver() });
    const state = await agent.invoke({ messages: [...messages] }, thread);
    expect(state.answer).toBe("Fine.");
    expect(state.messages.slice(0, -1).map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    expect(await promptOf(agent, "1")).toMatchObject({ exact: true });
  },
);

it("ids and names are changed in the blocks of a message, too, and only there", () => {
  const use = (id: string) => ({ type: "tool_use", id, name: "a.b", input: { at: "a.b" } });
  const ask = (id: string, response_metadata = {}) =>
    new AIMessage({
      content: [{ type: "thinking", thinking: "Hm.", signature: "s" }, use(id)],
      tool_calls: [{ id, name: "a.b", args: { at: "a.b" } }],
      response_metadata,
    });
  const given = [ask("toolu_1"), ask("x:1", { output: [] })];
  const [named, renamed] = formFor(ChatAnthropic, given, []).messages;
  expect(named).toMatchObject({ content: [given[0]?.content[0], { ...use("toolu_1"), name: "a_b" }] });
  expect(renamed?.content).toEqual([given[1]?.content[0]]);
  expect(renamed).toMatchObject({ tool_calls: [{ id: "x_1", name: "a_b", args: { at: "a.b" } }] });
  expect(renamed?.response_metadata).not.toHaveProperty("output", []);
  expect(formFor(ChatGoogleGenerativeAI, given, []).messages[0]?.content).toEqual([given[0]?.content[0]]);
  expect(formFor(undefined, given, []).messages).toEqual(given);
});

it("a tool that its provider takes in no form is an error with its name before the request, and the next model is asked", async () => {
  const parameters = { type: "object", properties: { "filter[id]": { type: "string" } } } as const;
  expect(refusalOf(specOf("list", parameters), ChatAnthropic)).toContain('"filter[id]"');
  expect(refusalOf(specOf("list", parameters), openaiForm)).toBeUndefined();
  const Strict = class ChatAnthropic extends ChatOpenAI {};
  const strict = new Strict({ model: "m", apiKey: "k" });
  const list = tool(() => "5", { name: "list", description: "Lists.", schema: parameters });
  const refused = createAgent({ model: strict, tools: [list] }).invoke({ messages: [done] });
  await expect(refused).rejects.toMatchObject({ kind: "refused", message: expect.stringContaining('the tool "list"') });
  const { answer } = await createAgent({ model: [strict, scriptedModel(["Fine."])], tools: [list] }).invoke({
    messages: [done],
  });
  expect(answer).toBe("Fine.");
});

it("a schema that is none of an object is an error when the agent is made", () => {
  const list = tool(() => "5", { name: "list", description: "Lists.", schema: { type: "array", items: {} } });
  expect(() => createAgent({ model: scriptedModel([]), tools: [list] })).toThrow(/schema of "list".*an object/);
});

it("a server of OpenAI's API is as strict as OpenAI, but for one that is known by its address", () => {
  expect(modelAbilities(modelAt("http://127.0.0.1:1/v1")).form).toBe(openaiForm);
  expect(modelAbilities(modelAt("https://api.mistral.ai/v1")).form).toBe(formsOfServers["api.mistral.ai"]);
});
