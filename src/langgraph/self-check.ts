import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import {
  Annotation,
  Command,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { SetupError } from "../base/errors.js";
import { givenAnswers, questionsAsked, scopeOfCall } from "./answers.js";
import {
  BRANCH_PREFIX,
  CHECKPOINTER_KEY,
  READ_KEY,
  RESUME_MAP_KEY,
  RESUMING_KEY,
  SCRATCHPAD_KEY,
  SEND_KEY,
} from "./names.js";
import { checkpointOfNode } from "./node-checkpoint.js";
import { isNested, nodesIn } from "./node-path.js";
import { nextNodes } from "./pending-nodes.js";
import { askedIn } from "./pending-writes.js";

const State = Annotation.Root({ answers: Annotation<string>() });
const at = { configurable: { thread_id: "self-check" } };

let checked: Promise<void> | undefined;

/**
 * Tries once in a process whether LangGraph has what Glassloop cannot do without, and what LangGraph does not promise.
 *
 * @throws SetupError "unknown-release" when something is missing.
 */
export function checkLangGraph(): Promise<void> {
  // The first run may begin in a node or in a trace. The check is no part of it.
  checked ??= AsyncLocalStorageProviderSingleton.runWithConfig(undefined, async () => {
    const missing = await missingNames();
    if (missing.length > 0) throw new SetupError("unknown-release", "@langchain/langgraph", missing.join(", "));
  });
  return checked;
}

/** Runs a graph of two nodes with a question. Returns the names of what LangGraph does otherwise. */
async function missingNames(): Promise<string[]> {
  const checkpointer = new MemorySaver();
  const configs: LangGraphRunnableConfig[] = [];
  let answers: unknown[] = [];
  const graph = new StateGraph(State)
    .addNode("begin", () => ({}))
    .addNode("ask", (_, config) => {
      configs.push(config);
      answers = [interrupt("Which?"), answerInCall(config)];
      return {};
    })
    .addEdge(START, "begin")
    .addEdge("begin", "ask")
    .compile({ checkpointer });
  // Unlike `stream` this stays outside of a trace.
  const run = async (input: unknown) => {
    for await (const _ of Reflect.apply(graph.transform, graph, [single(input), at]));
  };
  await run({});
  const asked = await checkpointer.getTuple(at);
  const id = askedIn(asked?.pendingWrites ?? [])[0]?.id ?? "";
  await run(new Command({ resume: { [id]: "this" } }));
  const config = configs[1] ?? {};
  const { configurable = {} } = config;
  const found = {
    [BRANCH_PREFIX]: asked !== undefined && nextNodes(asked).join() === "ask",
    [RESUME_MAP_KEY]: id in givenAnswers(config).byId,
    [SCRATCHPAD_KEY]:
      answers.join() === "this,that" &&
      questionsAsked(config) === 1 &&
      "nullResume" in Object(configurable[SCRATCHPAD_KEY]),
    [READ_KEY]: isNested(configurable),
    [SEND_KEY]: typeof configurable[SEND_KEY] === "function",
    [CHECKPOINTER_KEY]: checkpointOfNode(config)?.saver === checkpointer,
    [RESUMING_KEY]: configurable[RESUMING_KEY] === true,
    checkpoint_ns: nodesIn(config).join() === "ask",
  };
  return Object.entries(found).flatMap(([name, isFound]) => (isFound ? [] : [name]));
}

/** Asks a question in the scope of a call, which has the answer. */
function answerInCall(config: LangGraphRunnableConfig): unknown {
  const scope = scopeOfCall(config, { number: 0, inOrder: ["that"], nested: {} });
  return AsyncLocalStorageProviderSingleton.runWithConfig(scope.config, () => interrupt("What?"));
}

async function* single(value: unknown): AsyncGenerator {
  yield value;
}
