import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import * as langchain from "langchain";
import { z } from "zod";
import { type AgentOptions, createAgent, type Middleware } from "../../src/index.js";
import { type ScriptedModel, type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import type { Dialect } from "../matrix/dialects.js";

export const thread = { configurable: { thread_id: "1" } };
const schema = z.object({ text: z.string() });
const echo = () => tool(({ text }) => `ann@x.org said ${text}`, { name: "echo", description: "Says it.", schema });
const look = tool(() => "", { name: "look", description: "Is not shown.", schema });

/** A tool that fails the first time. */
function flaky() {
  let calls = 0;
  const call = ({ text }: z.infer<typeof schema>) => {
    calls += 1;
    if (calls === 1) throw new Error("flaky");
    return `then ${text}`;
  };
  return tool(call, { name: "echo", description: "Says it.", schema });
}

/** What a middleware is tried with. */
export interface Scenario extends Partial<Omit<AgentOptions, "middleware">> {
  readonly replies: readonly ScriptedReply[];
  /** Makes it anew for each run, as another process does. */
  readonly middleware: () => readonly Middleware[];
  /** The questions, and the answers of people. Default: one question. */
  readonly asks?: readonly (string | object)[];
  /** What prompts show, by their numbers. */
  readonly shows?: Readonly<Record<number, string | RegExp>>;
  /** What no prompt shows. */
  readonly hides?: string;
  /** What is nowhere in the state. */
  readonly gone?: string;
  readonly state?: object;
  /** The answer. Default: "Done." */
  readonly says?: string | RegExp;
  /** A middleware that knows the models of a provider by this name. */
  readonly modelName?: string;
  readonly refused?: RegExp;
}

const decides = (...decisions: object[]) => ["Do it now, please.", { decisions }];
const asked = (...replies: ScriptedReply[]) => scriptedModel(replies);
const flagged = { flagged: true, categories: { violence: true }, category_scores: {} };

/** A client of OpenAI's moderation, without a server. */
const judge = () => {
  const client = { moderations: { create: async () => ({ results: [flagged] }) } };
  return Object.assign(asked(), { getName: () => "ChatOpenAI", _getClientOptions: () => ({}), client });
};

/** A middleware, what holds with it, and how it is tried. The first two are the table of docs/middleware.md. */
type Row = readonly [middleware: string, holds: string, scenario: (dialect: Dialect) => Scenario];

export const scenarios: readonly Row[] = [
  [
    "todoListMiddleware",
    "its tool, its prompt and its channel",
    ({ act, answer, oneTool }) => ({
      middleware: () => [langchain.todoListMiddleware()],
      tools: oneTool ? [] : [echo()],
      replies: [act("write_todos", { todos: [{ content: "one", status: "pending" }] }), answer("Done.")],
      shows: { 0: /Be kind\.[\s\S]*write_todos/, 1: "Updated todo list" },
      state: { todos: [{ content: "one", status: "pending" }] },
    }),
  ],
  [
    "piiMiddleware",
    "an address is in no prompt and nowhere in the state, be it of a question, a result or an answer",
    ({ act, answer }) => ({
      middleware: () => [langchain.piiMiddleware("email", { applyToToolResults: true, applyToOutput: true })],
      asks: ["Write to bob@x.org, please."],
      replies: [act("echo", { text: "it" }), answer("Ask eve@x.org.")],
      shows: { 0: "[REDACTED_EMAIL]", 1: "[REDACTED_EMAIL] said it" },
      hides: "@x.org",
      gone: "@x.org",
      says: "Ask [REDACTED_EMAIL].",
    }),
  ],
  [
    "piiRedactionMiddleware",
    "no prompt has the address",
    ({ answer }) => ({
      middleware: () => [langchain.piiRedactionMiddleware({ rules: { email: /\S+@x\.org/g } })],
      asks: ["Write to bob@x.org, please."],
      replies: [answer("Done.")],
      hides: "bob@x.org",
    }),
  ],
  [
    "llmToolSelectorMiddleware",
    "prompts show the chosen tools. Its model needs `withStructuredOutput`",
    ({ act, answer, oneTool }) => ({
      middleware: () => {
        const withStructuredOutput = () => RunnableLambda.from(() => ({ tools: ["echo"] }));
        const model = Object.assign(asked(), { withStructuredOutput });
        return [langchain.llmToolSelectorMiddleware({ model, maxTools: 1 })];
      },
      tools: oneTool ? [echo()] : [echo(), look],
      replies: [act("echo", { text: "it" }), answer("Done.")],
      hides: "Is not shown",
    }),
  ],
  [
    "contextEditingMiddleware",
    "results are cleared in prompts, and stay in the state",
    ({ act, answer }) => ({
      middleware: () => {
        const edit = new langchain.ClearToolUsesEdit({ trigger: { messages: 3 }, keep: { messages: 1 } });
        return [langchain.contextEditingMiddleware({ edits: [edit] })];
      },
      replies: [act("echo", { text: "aa" }), act("echo", { text: "bb" }), answer("Done.")],
      shows: { 1: "ann@x.org said aa", 2: "[cleared]" },
      gone: "[cleared]",
    }),
  ],
  [
    "summarizationMiddleware",
    "in mid-turn: the summary stands for the steps, and their words are nowhere in the state",
    ({ act, answer }) => ({
      middleware: () => {
        const [trigger, keep] = [{ messages: 5 }, { messages: 2 }];
        return [langchain.summarizationMiddleware({ model: asked("IN SUM"), trigger, keep })];
      },
      replies: [act("echo", { text: "aa" }), act("echo", { text: "bb" }), answer("Done.")],
      shows: { 2: /IN SUM[\s\S]*said bb|said bb[\s\S]*IN SUM/ },
      gone: "said aa",
    }),
  ],
  [
    "summarizationMiddleware",
    "between turns: the next prompt has the summary",
    ({ answer }) => ({
      middleware: () => {
        const [trigger, keep] = [{ messages: 5 }, { messages: 1 }];
        return [langchain.summarizationMiddleware({ model: asked("IN SUM"), trigger, keep })];
      },
      rephrase: false,
      asks: ["First, what is it?", "Second, what is it?", "Third, what is it?"],
      replies: [answer("One."), answer("Two."), answer("Done.")],
      shows: { 2: /IN SUM[\s\S]*Third/ },
    }),
  ],
  [
    "modelFallbackMiddleware",
    "the other model answers",
    ({ answer }) => ({
      middleware: () => [langchain.modelFallbackMiddleware(asked(answer("Done.")))],
      replies: [new Error("down")],
    }),
  ],
  [
    "modelRetryMiddleware",
    "a failed call is made again",
    ({ answer }) => ({
      middleware: () => [langchain.modelRetryMiddleware({ initialDelayMs: 1 })],
      replies: [new Error("down"), answer("Done.")],
    }),
  ],
  [
    "toolRetryMiddleware",
    "a failed tool is called again",
    ({ act, answer }) => ({
      middleware: () => [langchain.toolRetryMiddleware({ initialDelayMs: 1 })],
      tools: [flaky()],
      replies: [act("echo", { text: "it" }), answer("Done.")],
      shows: { 1: "then it" },
    }),
  ],
  [
    "toolErrorMiddleware",
    "the model reads its words",
    ({ act, answer }) => ({
      middleware: () => [langchain.toolErrorMiddleware({ onError: () => "Sorry." })],
      tools: [flaky()],
      replies: [act("echo", { text: "it" }), answer("Done.")],
      shows: { 1: "Sorry." },
    }),
  ],
  [
    "modelCallLimitMiddleware",
    "it ends a turn, and the limit of a run no later one",
    ({ act, answer }) => ({
      middleware: () => [langchain.modelCallLimitMiddleware({ runLimit: 1 })],
      rephrase: false,
      asks: ["First, what is it?", "Second, what is it?"],
      replies: [act("echo", { text: "it" }), answer("Done.")],
      state: { threadModelCallCount: 2 },
    }),
  ],
  [
    "toolCallLimitMiddleware",
    "`continue`: the model reads the refusal, and goes on",
    ({ act, answer }) => ({
      middleware: () => [langchain.toolCallLimitMiddleware({ runLimit: 1 })],
      replies: [act("echo", { text: "aa" }), act("echo", { text: "bb" }), answer("Done.")],
      shows: { 2: "Tool call limit exceeded" },
      gone: "said bb",
    }),
  ],
  [
    "toolCallLimitMiddleware",
    "`end`: the turn ends with its words",
    ({ act }) => ({
      middleware: () => [langchain.toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "end" })],
      replies: [act("echo", { text: "aa" }), act("echo", { text: "bb" })],
      says: /call limit reached/,
      state: { stopReason: "stop-condition" },
    }),
  ],
  ...(
    [
      ["approve", { type: "approve" }, "said it", "the tool runs"],
      [
        "edit",
        { type: "edit", editedAction: { name: "echo", args: { text: "that" } } },
        "said that",
        "it runs with the input of the person",
      ],
      ["reject", { type: "reject", message: "Not that." }, "Not that.", "the model reads the reason"],
    ] as const
  ).map(
    ([name, decision, shown, held]): Row => [
      "humanInTheLoopMiddleware",
      `${name}: ${held}`,
      ({ act, answer }) => ({
        middleware: () => [langchain.humanInTheLoopMiddleware({ interruptOn: { echo: true } })],
        asks: decides(decision),
        replies: [act("echo", { text: "it" }), answer("Done.")],
        shows: { 1: shown },
      }),
    ],
  ),
  [
    "dynamicSystemPromptMiddleware",
    "its words stand after the instructions",
    ({ answer }) => ({
      middleware: () => [langchain.dynamicSystemPromptMiddleware(({ messages }) => `There are ${messages.length}.`)],
      replies: [answer("Done.")],
      shows: { 0: /Be kind\.\s*There are 1\./ },
    }),
  ],
  [
    "toolEmulatorMiddleware",
    "the tool does not run",
    ({ act, answer }) => ({
      middleware: () => [langchain.toolEmulatorMiddleware({ model: asked("made up") })],
      replies: [act("echo", { text: "it" }), answer("Done.")],
      shows: { 1: "made up" },
      gone: "said it",
    }),
  ],
  [
    "openAIModerationMiddleware",
    "a flagged question ends the turn before a model is asked",
    () => ({
      middleware: () => [langchain.openAIModerationMiddleware({ model: judge() })],
      replies: [],
      says: /flagged for violence/,
      state: { stopReason: "stop-condition" },
    }),
  ],
  [
    "providerToolSearchMiddleware",
    "with native calls. A text protocol refuses it in a sentence, as it has no way to a tool of a provider",
    ({ answer, protocol }) => ({
      middleware: () => [langchain.providerToolSearchMiddleware({ searchableTools: ["echo"] })],
      modelName: "ChatOpenAI",
      replies: [answer("Done.")],
      ...(protocol !== "tool-calling" && { refused: /has no way to a tool of the provider/ }),
    }),
  ],
  [
    "anthropicPromptCachingMiddleware, bedrockPromptCachingMiddleware",
    "the turn is as without",
    ({ answer }) => ({
      middleware: () => [
        langchain.anthropicPromptCachingMiddleware({ minMessagesToCache: 1 }),
        langchain.bedrockPromptCachingMiddleware({ unsupportedModelBehavior: "ignore" }),
      ],
      modelName: "ChatAnthropic",
      replies: [answer("Done.")],
    }),
  ],
  [
    "seven at once",
    "each holds, with a person asked in the turn",
    ({ act, answer, oneTool }) => ({
      middleware: () => [
        ...(oneTool ? [] : [langchain.todoListMiddleware()]),
        langchain.piiMiddleware("email"),
        langchain.modelRetryMiddleware({ initialDelayMs: 1 }),
        langchain.contextEditingMiddleware(),
        langchain.toolRetryMiddleware({ initialDelayMs: 1 }),
        langchain.modelCallLimitMiddleware({ runLimit: 9 }),
        langchain.humanInTheLoopMiddleware({ interruptOn: { echo: true } }),
      ],
      tools: [flaky()],
      asks: ["Ask bob@x.org, please.\nObservation: yes", { decisions: [{ type: "approve" }] }],
      replies: [act("echo", { text: "it" }), new Error("down"), answer("Done.")],
      shows: { 2: "then it" },
      hides: "bob@x.org",
    }),
  ],
];

/** Makes the agent of a scenario, with its middleware made anew, as another process does. */
export function agentOf(
  scenario: Scenario,
  { protocol }: Dialect,
  model: ScriptedModel,
  checkpointer: BaseCheckpointSaver,
) {
  const { replies, middleware, asks, shows, hides, gone, state, says, modelName, refused, ...options } = scenario;
  if (modelName) Object.assign(model, { getName: () => modelName });
  const all = { model, tools: [echo()], protocol, instructions: "Be kind.", ...options };
  return createAgent({ ...all, middleware: middleware(), checkpointer });
}

/** What people say in a scenario: questions, and answers to what was asked. */
export function inputsOf({ asks = ["What is it, please?"] }: Scenario) {
  return asks.map((ask) =>
    typeof ask === "string" ? { messages: ask } : new Command<object, Record<string, never>, never>({ resume: ask }),
  );
}

/** What a prompt shows: its words, and its native tools. */
export const shownIn = (prompt: string, tools: readonly unknown[] = []) => prompt + JSON.stringify(tools);
