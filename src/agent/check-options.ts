import { z } from "zod";
import { checkedOptions, countOption, give, hasMethods, oneOf } from "../base/options.js";
import { decodingServers } from "../model/constrained-decoding.js";
import { isChatModel } from "../model/is-chat-model.js";
import { protocolChoices } from "../protocols/names.js";
import { multitaskStrategies } from "../threads/guard/guard.js";

const text = z.string(give("a text"));
const flag = z.boolean(give("true or false"));
const texts = z.array(z.string());
const method = z.custom((value) => typeof value === "function");

const protocolSchema = z.looseObject({
  name: z.string().min(1),
  render: method,
  parse: method,
  stop: texts.optional(),
  nativeTools: z.boolean().optional(),
  answerMarkers: texts.optional(),
  exampleReply: method.optional(),
  exampleAnswer: z.string().optional(),
  grammar: method.optional(),
});

const possibleProtocols =
  `one of ${protocolChoices.map((name) => `"${name}"`).join(", ")}, or a protocol of your own: an object with ` +
  "name, render and parse";

/** What can be given to `createAgent`. What comes from a package is known by its methods: there may be two copies of it. */
const agentOptions = z.strictObject({
  model: z.custom(
    (value) => typeof value === "string" || isChatModel(value),
    give('a LangChain chat model, or "provider:name" such as "openai:gpt-4o-mini"'),
  ),
  tools: z
    .array(z.custom(isTool, give("a LangChain tool, such as calculator()")), give("a list of LangChain tools"))
    .optional(),
  protocol: z.custom(isProtocol, give(possibleProtocols)).optional(),
  constrainedDecoding: oneOf(decodingServers).optional(),
  instructions: text.optional(),
  currentDate: flag.optional(),
  rephrase: flag.optional(),
  memory: z
    .custom((value) => hasMethods(value, ["remember"]), give("buffer(), window(…), tokenBudget(…) or summary(…)"))
    .optional(),
  maxSteps: countOption.optional(),
  maxUnreadable: countOption.optional(),
  checkpointer: z
    .custom(isCheckpointer, give("(await openThreads(url)).checkpointer or another LangGraph checkpointer"))
    .optional(),
  durability: oneOf(["sync", "async", "exit"]).optional(),
  multitaskStrategy: oneOf(multitaskStrategies).optional(),
  store: z
    .custom((value) => hasMethods(value, ["batch", "get", "put", "search"]), give("a LangGraph store"))
    .optional(),
  name: text.min(1, give("a text that is not empty")).optional(),
});

/**
 * Checks what was given to `createAgent`, where no compiler did.
 *
 * @throws InvalidOptionError naming the first option that cannot be, and what is possible.
 */
export function checkAgentOptions(options: unknown): void {
  checkedOptions("", agentOptions, options);
}

function isTool(value: unknown): boolean {
  return hasMethods(value, ["invoke"]) && "name" in value && "schema" in value;
}

function isProtocol(value: unknown): boolean {
  return typeof value === "string"
    ? protocolChoices.some((name) => name === value)
    : protocolSchema.safeParse(value).success;
}

/** LangGraph takes true and false for a graph inside another one: memory of its own there, or none. */
function isCheckpointer(value: unknown): boolean {
  return typeof value === "boolean" || hasMethods(value, ["getTuple", "list", "put", "putWrites"]);
}
