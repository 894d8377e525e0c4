import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf } from "../../core/run/run.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import { runView } from "../../middleware/run-view.js";
import type { RetrievalDependencies, Route } from "../dependencies.js";
import { type Route as Chosen, readRoute, routingPrompt } from "../prompts/route.js";
import { ask } from "./ask.js";
import { retrievalOf } from "./read-state.js";

/** Makes the node that decides where to search: by a function of the user, or by the model. */
export function route(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const { retrievers, severalSearches } =
      typeof parts.route === "function"
        ? await routeOf(parts.route, parts, state, config)
        : await askForRoute(parts, state, config);
    runOf(config).emit({ type: "route", retrievers, severalSearches });
    return { retrieval: { ...retrievalOf(state), retrievers, severalSearches } };
  };
}

async function askForRoute(parts: RetrievalDependencies, state: AgentStateValues, config: LangGraphRunnableConfig) {
  const { retrievers, isAdaptive } = parts;
  const { question, chatHistory, turn } = state;
  const names = retrievers.map(({ name }) => name);
  const messages = routingPrompt({ places: retrievers, question, chatHistory, mark: turn.mark, isAdaptive });
  const reply = await ask("routing", parts, state, messages, config);
  const read = readRoute(reply ?? "", names);
  return { ...read, severalSearches: isAdaptive && read.severalSearches };
}

async function routeOf(
  choose: Route,
  { retrievers }: RetrievalDependencies,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<Chosen> {
  const result: unknown = await choose({ ...runView(state, config), question: state.question });
  const chosen = [result ?? []].flat();
  const known = retrievers.map(({ name }) => name);
  const wrong = chosen.find((name) => !known.some((one) => one === name));
  if (wrong === undefined) return { retrievers: known.filter((name) => chosen.includes(name)), severalSearches: false };
  const names = known.map((name) => JSON.stringify(name)).join(", ");
  throw new InvalidOptionError(
    "route",
    `it returned ${JSON.stringify(wrong)}; return one of ${names}, a list, or null.`,
  );
}
