import { tool } from "@langchain/core/tools";
import { FakeChatModel, FakeStreamingChatModel } from "@langchain/core/utils/testing";
import { ChatOpenAI } from "@langchain/openai";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import {
  askOnce,
  chatModelSchema,
  hasOwnStream,
  isChatModel,
  kindOfModel,
  modelsInFallbacks,
  ownRetries,
  unbound,
  withTools,
} from "../../src/langgraph/chat-models.js";

const fake = () => new FakeStreamingChatModel({});

it("a chat model is found inside LangChain's wrappers", () => {
  const [model, other] = [fake(), fake()];
  expect(unbound(model.withConfig({ tags: ["a"] }).withConfig({ tags: ["b"] }))).toBe(model);
  expect([model, model.withConfig({}), model.withRetry(), model.withFallbacks([other])].every(isChatModel)).toBe(true);
  expect(isChatModel(model.pipe((message) => message))).toBe(false);
  expect(modelsInFallbacks(model.withFallbacks([other]))).toEqual([model, other]);
  expect(kindOfModel(model.withConfig({}))).toBe("fake");
});

it("a model with its own stream is recognised", () => {
  expect(hasOwnStream(fake().withConfig({}))).toBe(true);
  expect(hasOwnStream(new FakeChatModel({}))).toBe(false);
});

it("tools are bound below a model's settings", () => {
  const look = tool(async () => "seen", { name: "look", description: "Looks.", schema: z.object({}) });
  const model = fake();
  vi.spyOn(model, "bindTools").mockImplementation(() => model.withConfig({ runName: "with tools" }));
  const bound = withTools(chatModelSchema.parse(model.withConfig({ tags: ["mine"] })), [look], { stop: ["x"] });
  expect(model.bindTools).toHaveBeenCalledWith([look], { stop: ["x"] });
  expect(bound).toMatchObject({ config: { tags: ["mine"] }, bound: { config: { runName: "with tools" } } });
});

it("LangChain's own retries are recognised, and turned off", async () => {
  const model = new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "none", maxRetries: 2 });
  let tries = 0;
  const fail = async () => {
    tries += 1;
    throw Object.assign(new Error("busy"), { status: 503 });
  };
  expect(ownRetries(model)).toBe(2);
  await expect(askOnce(model, () => model.caller.call(fail), undefined)).rejects.toThrow("busy");
  expect(tries).toBe(1);
});
