import type { Timeouts } from "../../model/index.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { settings } from "../program/settings.js";
import type { ChosenSettings } from "./chosen-settings.js";
import { loadMemory } from "./load-memory.js";
import { loadNamedModel } from "./load-named-model.js";
import type { ModelServer } from "./model-server.js";

/** Returns the options of an agent that settings describe: its model, its limits, its words. Its tools are not among them. */
export async function agentSettings(chosen: ChosenSettings, { model, baseUrl, env }: ModelServer, { stdin }: Io) {
  const protocol = chosen.value(settings.protocol);
  if (model === "offline" && protocol === "tool-calling") {
    throw new UsageError(
      '--protocol: the offline rules make no native tool calls, which "tool-calling" needs. Name a language model with --model, or give another protocol.',
    );
  }
  const memory = chosen.value(settings.memory);
  const limits = {
    maxSteps: chosen.value(settings.maxSteps),
    maxModelCalls: chosen.value(settings.maxModelCalls),
    maxTokens: chosen.value(settings.maxTokens),
    maxTurnMs: chosen.value(settings.maxTime),
  };
  const ofModel = {
    baseUrl,
    temperature: chosen.value(settings.temperature),
    maxReplyTokens: chosen.value(settings.maxReplyTokens),
    streaming: chosen.value(settings.stream),
  };
  return {
    ...limits,
    protocol,
    instructions: chosen.text(settings.system),
    currentDate: chosen.value(settings.date),
    approve: chosen.value(settings.approve) ?? (stdin.isTTY ? "effects" : "never"),
    timeouts: timeoutsOf(chosen),
    memory: memory && (await loadMemory(memory)),
    model: await Promise.all(model.split(",").map((name) => loadNamedModel(name.trim(), ofModel, env))),
  };
}

/** The time limits of model calls. */
function timeoutsOf(chosen: ChosenSettings): Timeouts {
  const [firstTokenMs, betweenTokensMs, totalMs] = [
    chosen.value(settings.firstTokenTimeout),
    chosen.value(settings.tokenTimeout),
    chosen.value(settings.timeout),
  ];
  return {
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    ...(betweenTokensMs !== undefined && { betweenTokensMs }),
    ...(totalMs !== undefined && { totalMs }),
  };
}
