import { INTERRUPT, isInterrupted, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Decision, IntermediateStep } from "../turn/decision.js";
import { personAsked, type TurnEvent, type WrittenEvent, writtenEventSchema } from "../turn/events.js";
import type { AgentStateUpdate } from "../turn/state.js";
import type { Agent } from "./create-agent.js";
import { LEAVING_KEY } from "./graph/run-to-end.js";

/**
 * Runs a turn and yields its events. A step comes when it is done, the answer while the model writes it. Leaving the
 * loop stops the run.
 *
 * @param input The `{ messages }` of a new turn, null to continue a turn that stopped, or the decisions that it waits
 *   for (`decide`).
 * @param config The LangGraph config: thread, abort signal, callbacks, `control` to drain the run.
 * @throws The errors of `agent.invoke`: an invalid input, an error of the model, or an abort.
 * @example
 * for await (const event of streamTurn(agent, { messages: "What is 2 + 2?" })) console.log(event);
 */
export async function* streamTurn(
  agent: Agent,
  input: Parameters<Agent["stream"]>[0],
  config: LangGraphRunnableConfig = {},
): AsyncGenerator<TurnEvent> {
  const leaving = new AbortController();
  const configurable = { ...config.configurable, [LEAVING_KEY]: leaving.signal };
  const stream = await agent.stream(input, { ...config, configurable, streamMode: ["updates", "custom"] });
  for await (const [mode, chunk] of untilLeft(stream, leaving)) {
    if (mode === "custom") yield* writtenEvents(chunk);
    else if (isInterrupted(chunk)) yield* chunk[INTERRUPT].map((interrupt) => personAsked(interrupt));
    else for (const update of Object.values(chunk)) yield* eventsOf(update);
  }
}

/**
 * Reads a stream, and aborts it when its reader leaves. LangGraph would run on in the background. The run has ended
 * when this generator returns.
 */
async function* untilLeft<T>(stream: ReadableStream<T>, leaving: AbortController): AsyncGenerator<T> {
  const reader = stream.getReader();
  let next = await reader.read();
  try {
    for (; !next.done; next = await reader.read()) yield next.value;
  } finally {
    leaving.abort();
    while (!next.done) next = await reader.read().catch(() => ({ done: true, value: undefined }));
  }
}

/** Yields the events of the agent in the `custom` stream. The tools of the user write to this stream, too. */
function* writtenEvents(chunk: unknown): Generator<WrittenEvent> {
  const { data } = writtenEventSchema.safeParse(chunk);
  if (data) yield data;
}

/** Yields the events in the update of a node. */
function* eventsOf({
  turn,
  question,
  decision,
  intermediateSteps,
  answer,
  stopReason,
}: AgentStateUpdate): Generator<TurnEvent> {
  if (turn && question !== undefined) yield { type: "question", asked: turn.asked, question };
  if (decision) yield* decisionEvents(decision);
  if (intermediateSteps && "results" in intermediateSteps) yield* observationEvents(intermediateSteps);
  if (typeof answer === "string" && stopReason) yield { type: "answer", text: answer, stopReason };
}

function* decisionEvents(decision: Decision): Generator<TurnEvent> {
  if (decision.kind !== "action") return;
  if (decision.thought) yield { type: "thought", text: decision.thought };
  for (const { id, tool, toolInput } of decision.actions) yield { type: "action", id, tool, toolInput };
}

function* observationEvents({ reply, decision, results }: IntermediateStep): Generator<TurnEvent> {
  if (decision.kind === "unparseable") {
    const thought = reply.text.trim();
    if (thought) yield { type: "thought", text: thought };
    yield { type: "observation", text: decision.correction, status: "error" };
  }
  for (const { action, observation, status } of results) {
    yield { type: "observation", id: action.id, text: observation, status };
  }
}
