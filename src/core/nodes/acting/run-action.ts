import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isGraphBubbleUp, isParentCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { attempted } from "../../../base/attempted.js";
import { describeValue } from "../../../base/describe-value.js";
import { withDigits } from "../../../base/digits.js";
import { endWithStop } from "../../../base/end-with-stop.js";
import { dataWithoutSecrets, withoutSecrets } from "../../../base/secrets/without-secrets.js";
import { withContent } from "../../../langgraph/message-form.js";
import { describeSchemaComplaint, readInput } from "../../../tool-inputs/schema-complaint.js";
import { toolArguments } from "../../../tool-inputs/tool-arguments.js";
import { type ToolInput, toArguments } from "../../../tool-inputs/tool-input.js";
import type { Plugin, ToolRequest, Verdict } from "../../parts/plugin.js";
import { metadataOf } from "../../parts/tool-metadata.js";
import type { AgentTool, Tools } from "../../parts/tools.js";
import type { Ledger } from "../../run/ledger.js";
import { callOf } from "../../run/notes.js";
import { runOf, withRun } from "../../run/run.js";
import type { Work } from "../../run/work.js";
import { wrapToolCall } from "../../seams/wrap-tool-call.js";
import { type AgentAction, callIdOf, type Outcome } from "../../state/decision.js";
import { outsideText } from "../../state/outside.js";
import type { AgentStateValues } from "../../state/state.js";
import { takeTime } from "../../state/times.js";
import { noCounts } from "../../state/usage.js";
import { innerRing } from "./inner-ring.js";
import { observe } from "./observe.js";
import { withNote, wrongInput } from "./outcomes.js";
import { inTime, ToolTimeout } from "./timed-call.js";

/** What the call of an action needs beside the action. */
interface ActionCall {
  readonly tools: Tools["byName"];
  /** What was judged about it; undefined if nobody judged it. */
  readonly verdict: Verdict | undefined;
  /** The record of earlier runs of the node. An action on record is not run again. */
  readonly ledger: Ledger;
  /** True if the step has no other action. Without effects it is then simply run again, and needs no record. */
  readonly isAlone: boolean;
  readonly plugins: readonly Plugin[];
  /** The longest time of the call in milliseconds. */
  readonly timeoutMs: (tool: AgentTool) => number;
  /** The state of the agent. A tool can read it. */
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
}

/** A call that goes to its tool. */
interface BegunCall extends ActionCall {
  /** Notes that a tool is called: an effect begins on record. */
  readonly onCall: (tool: AgentTool) => Promise<void>;
}

/**
 * Runs the tool of one action. Each failure becomes an observation that tells the model the next step. Failures are an
 * unknown tool, an input that the schema refuses, and a tool that throws. Only an interrupt and an abort are thrown, as
 * they stop the run.
 */
export async function runAction(action: AgentAction, call: ActionCall): Promise<Outcome> {
  const { verdict, ledger, tools } = call;
  // What is on record counts even if this process has no such tool.
  const known = ledger.recall(action);
  const since = ledger.began.get(callOf(action));
  if (known === "begun")
    return { ...outcomeUnknown(action.tool, stoppedBefore), ...(since !== undefined && { times: { at: since } }) };
  const inPlace = known ?? verdict?.instead;
  if (inPlace) return inPlace;
  const tool = tools.get(action.tool);
  return tool ? await runOnRecord(tool, action, call) : unknownTool(action.tool, tools);
}

async function runOnRecord(tool: AgentTool, action: AgentAction, call: ActionCall): Promise<Outcome> {
  const { ledger, isAlone, config } = call;
  config.signal?.throwIfAborted();
  let undo: (() => Promise<void>) | undefined;
  let isOnRecord = !isAlone;
  const part = runOf(config).within(action);
  const taken = takeTime(ledger.began.get(callOf(action)));
  ledger.began.set(callOf(action), taken().at);
  // An effect that could not be noted did not begin: the run fails, whatever the tool and its wrappers make of the error.
  let unnoted: { readonly error: unknown } | undefined;
  const begin = async (inside?: "kept" | "lost") => {
    isOnRecord = true;
    try {
      const takeBack = await ledger.begin(action, inside);
      if (inside !== "kept") undo = takeBack;
    } catch (error) {
      unnoted = { error };
      throw error;
    }
  };
  part.beginEffect = begin;
  const called = new Set<AgentTool>();
  const onCall = async (tool: AgentTool) => {
    const isNew = !called.has(tool);
    called.add(tool);
    if (!metadataOf(tool).effects || !isNew) return;
    part.beginEffect = async () => {};
    await begin();
  };
  const toolConfig = withRun(withIdempotencyKey(config, action.id), part);
  try {
    const returned = withoutKnownSecrets(await callDecided(tool, action, { ...call, onCall, config: toolConfig }));
    if (unnoted) throw unnoted.error;
    const untrusted = [...called].filter((tool) => metadataOf(tool).untrusted);
    part.learn(untrusted.map(({ name }) => outsideText(name, call.state.turn)));
    const outcome = {
      ...returned,
      times: taken(),
      ...(part.usage.spent !== noCounts && { usage: part.usage.spent }),
      ...(part.outside.length > 0 && { outside: [...part.outside] }),
    };
    if (isOnRecord) await ledger.finish(action, outcome);
    return outcome;
  } catch (error) {
    // A tool that asks a human is called again with the answer. An aborted call stays on record as begun, as its effect
    // is unknown.
    if (isGraphBubbleUp(error)) await undo?.();
    throw error;
  }
}

function withoutKnownSecrets({ command, ...outcome }: Outcome): Outcome {
  const clean = dataWithoutSecrets(outcome);
  if (command === undefined) return clean;
  const { messages, ...rest } = command;
  return { ...clean, command: { ...dataWithoutSecrets(rest), messages: messages.map(messageWithoutSecrets) } };
}

/** Returns a copy of a message. Only the fields of a message are plain data. */
function messageWithoutSecrets(message: BaseMessage): BaseMessage {
  return Object.assign(withContent(message, message.content), dataWithoutSecrets({ ...message }));
}

async function callDecided(tool: AgentTool, action: AgentAction, call: BegunCall): Promise<Outcome> {
  const { input, note } = call.verdict ?? {};
  return withNote(note, await callTool(tool, input ? { ...action, toolInput: input } : action, call));
}

const stoppedBefore = "the run was stopped after this call had begun and before its result arrived";

function outcomeUnknown(name: string, why: string): Outcome {
  const observation =
    `It is not known whether ${name} took effect: ${why}. The call was not repeated. If you can, check with another tool whether it took effect. Call ${name} again only ` +
    "if it did not, or if doing it twice does no harm. Otherwise tell the user in the final answer that it may or may not " +
    "have happened.";
  return { observation, status: "unknown" };
}

async function callTool(tool: AgentTool, action: AgentAction, call: BegunCall): Promise<Outcome> {
  const input = toolArguments(tool, action.toolInput);
  if (input.kind === "refused") return wrongInput(tool.name, input.reason);
  const args = toArguments(input.args);
  const { state, config } = call;
  const toolCall = { id: callIdOf(action), name: tool.name, args, type: "tool_call" } as const;
  const request = { toolCall, tool, action, state, config };
  const isJudged = (call.verdict ?? action.approved) !== undefined;
  const ring = innerRing(request, { ...call, isJudged }, (asked) => callOnce(asked, call));
  const work: Work = { kind: "tool", name: tool.name, id: action.id, input: input.args, found: {} };
  try {
    const begin = async ({ found }: Work) => {
      const outcome = observe(action, await wrapToolCall(call.plugins, request, ring), call);
      found.observation = withoutSecrets(outcome.observation);
      return outcome;
    };
    const { wrapWork } = runOf(call.config);
    return await (wrapWork ? wrapWork(work, begin) : begin(work));
  } catch (thrown) {
    // LangGraph's guards read the fields of null.
    const error = thrown ?? undefined;
    // A graph in the tool handed over to the graph around it, which is this one.
    if (isParentCommand(error)) return observe(action, error.command, call);
    if (isGraphBubbleUp(error) || call.config.signal?.aborted) throw error;
    if (error instanceof ToolTimeout && metadataOf(tool).effects)
      return outcomeUnknown(tool.name, `it ${error.message}`);
    return failed(tool, input.args, thrown);
  }
}

/** Calls a tool, and calls it again if its schema refused the input and takes it in another form. */
async function callOnce({ tool, action, toolCall: { args } }: ToolRequest, call: ActionCall): Promise<unknown> {
  try {
    return await invoke(tool, action, args, call);
  } catch (error) {
    // The schema refused the input. The tool has done nothing yet, so a second call is safe. An input that was judged is
    // not changed: only its digits become bigints, where the schema wants them.
    const read = isRefusedInput(error) ? await readInput(tool, args) : { complaint: "" };
    if ("complaint" in read || (call.verdict?.input && !isDeepStrictEqual(withDigits(read.args), args))) throw error;
    return invoke(tool, action, read.args, call);
  }
}

/** Calls a tool. LangChain's tools find a `ToolRuntime` in the config. */
function invoke(
  tool: AgentTool,
  action: AgentAction,
  args: Readonly<Record<string, unknown>>,
  { config: given, state, timeoutMs }: ActionCall,
): Promise<unknown> {
  return inTime(timeoutMs(tool), given, (config) => {
    const { store = null, writer = null } = config;
    const id = callIdOf(action);
    const runtime = { ...config, state, toolCallId: id, config, store, writer };
    // A tool may change its arguments in place, and these are a part of the state.
    return tool.invoke({ type: "tool_call", id, name: tool.name, args: structuredClone(args) }, runtime);
  });
}

async function failed(tool: AgentTool, args: ToolInput, error: unknown): Promise<Outcome> {
  const complaint = isRefusedInput(error) ? await describeSchemaComplaint(tool, args) : undefined;
  if (complaint !== undefined) return wrongInput(tool.name, complaint);
  const sentence = error instanceof Error ? `${error.name}: ${error.message}` : wordsOf(error);
  const happened = error instanceof ToolTimeout ? `${error.message}.` : `failed with ${endWithStop(sentence)}`;
  const observation = `${tool.name} ${happened} Try another input or another way, or give the final answer with what you know.`;
  return { observation, status: "error" };
}

/** Returns the words for a thrown value that is no error. */
function wordsOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  return attempted(() => JSON.stringify(thrown)) ?? describeValue(thrown);
}

/**
 * Tells whether an error is LangChain's `ToolInputParsingException`, even from another copy of the package. Its
 * `output` is the input of the tool.
 */
function isRefusedInput(error: unknown): boolean {
  return error instanceof Error && "output" in error && /did not match expected schema/.test(error.message);
}

function unknownTool(name: string, tools: Tools["byName"]): Outcome {
  const names = [...tools.keys()].join(", ");
  const next = names
    ? `The tools are: ${names}. Use one of them, or give the final answer.`
    : "There are no tools here. Give the final answer.";
  return { observation: `There is no tool named ${JSON.stringify(name)}. ${next}`, status: "error" };
}

/**
 * Returns the unique key of a tool call, for services that take an `Idempotency-Key`. A call that is made again after
 * its process died has the same key. A call in a forked, replayed or copied thread has another key.
 *
 * @param config The second parameter of the tool's function.
 * @returns 32 hexadecimal digits, or undefined if no agent called the tool.
 * @example
 * const pay = tool(
 *   async ({ amount }, config) => bank.pay(amount, { headers: { "Idempotency-Key": idempotencyKey(config) } }),
 *   { name: "pay", description: "Pays an amount.", schema: z.object({ amount: z.number() }), metadata: { effects: true } },
 * );
 */
export function idempotencyKey(config: RunnableConfig): string | undefined {
  return z.string().optional().parse(config.configurable?.idempotency_key);
}

/** Returns the config for an action's tool: LangGraph's config with the idempotency key of the action. */
function withIdempotencyKey(config: LangGraphRunnableConfig, actionId: string): LangGraphRunnableConfig {
  const { configurable, executionInfo } = config;
  // LangGraph makes the task id from the checkpoint at which the node started.
  const call = JSON.stringify([configurable?.thread_id, executionInfo?.taskId, actionId]);
  return { ...config, configurable: { ...configurable, idempotency_key: hash("sha256", call).slice(0, 32) } };
}
