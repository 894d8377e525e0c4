import { END, START } from "@langchain/langgraph";
import type { z } from "zod";
import { assembleParts } from "../agent/assemble-parts.js";
import { described } from "../agent/described.js";
import { known } from "../agent/known-agents.js";
import { addEdgeOrEnd, emptyGraph, endsEarly } from "../core/agent.js";
import { type NodeName, nodeNames } from "../core/nodes/node-names.js";
import { plan } from "../core/nodes/plan.js";
import { type Node, nodeOf } from "../core/nodes/run-node.js";
import type { AgentParts } from "../core/parts/agent-parts.js";
import type { AgentStateUpdate } from "../core/state/state.js";
import type { Agent } from "../graph/agent.js";
import { compileAgent } from "../graph/compile-agent.js";
import type { FixedRetrieval, RetrievalDependencies } from "./dependencies.js";
import { begin, translate } from "./nodes/begin.js";
import { check } from "./nodes/check.js";
import { map, rank, refine } from "./nodes/combine.js";
import { finish } from "./nodes/finish.js";
import { grade } from "./nodes/grade.js";
import { retrieve } from "./nodes/retrieve.js";
import { nextQuery, rewrite } from "./nodes/rewrite.js";
import { route } from "./nodes/route.js";
import { checkedRetrieval, type RetrievalOptions } from "./options.js";
import { answerProtocol } from "./prompts/answer.js";
import { retrievalDescribed } from "./retrieval-described.js";
import {
  afterCheck,
  afterPassages,
  afterQuery,
  afterReply,
  afterRoute,
  afterSearch,
  replyNode,
  retryNode,
} from "./routers.js";

/**
 * Makes an agent that answers from documents: a compiled LangGraph graph with the state of {@link createAgent}. It runs on the
 * same threads, with the same events and limits. Its answers cite passages by their numbers, and `state.sources` has these
 * passages. The graph has only the nodes that the options ask for. All of its loops have bounds, with counters in
 * `state.retrieval`.
 *
 * The flows are those of LangChain's RetrievalQA and ConversationalRetrievalQA chains, and of corrective, adaptive and self-RAG.
 *
 * @param options See {@link RetrievalOptions}.
 * @returns The graph. Its stop reasons are those of an agent, and `not-found` and `ungrounded`.
 * @throws InvalidOptionError when an option has a wrong value or does not exist. A run throws a {@link RetrieverError} if no
 *   retriever works. The turn then goes on with `invoke(null)`.
 * @example
 * const agent = createRetrievalAgent({ model: "openai:gpt-4o-mini", retriever: documents({ folder: "docs" }), grade: true });
 * const { answer, sources } = await agent.invoke({ messages: "Who founded the company?" });
 */
export function createRetrievalAgent<Context extends z.ZodObject = z.ZodObject>(
  options: RetrievalOptions<Context>,
): Agent<unknown, z.input<Context>>;
export function createRetrievalAgent(options: RetrievalOptions): Agent {
  const { fixed: retrieval, agent: agentOptions } = checkedRetrieval(options);
  const ofAgent = { ...agentOptions, rephrase: agentOptions.rephrase ?? true, protocol: answerProtocol };
  const parts = assembleParts(ofAgent);
  const checked = (agent: AgentParts) => ({ ...agent, answers: { ...agent.answers, areChecked: retrieval.checks } });
  const makers = nodeMakers(retrieval);
  const nodes = nodeNames.flatMap((name) => {
    const make = makers[name];
    if (make === undefined) return [];
    const node = nodeOf(name, parts, (agent) => make({ ...retrieval, agent: checked(agent) }));
    return [[name, node] satisfies [NodeName, Node<AgentStateUpdate>]];
  });
  const { plugins } = parts;
  const graph = emptyGraph(options.context, plugins).addNode(nodes);
  const reply = replyNode(retrieval);
  const retry = retryNode(retrieval);
  const search = makers.translate ? "translate" : "retrieve";
  /** The nodes after passages, by the labels of the edges to them. */
  const onward: Record<string, NodeName> = {
    found: makers.map ? "map" : reply,
    "not found": "parse",
    ...(makers.refine && { "next passage": "refine" }),
  };
  const found: Record<string, NodeName> = {
    ...onward,
    ...(makers.rewrite && { "try again": "rewrite" }),
    ...(makers["next-query"] && { "search on": "next-query" }),
  };
  if (makers.route) addEdgeOrEnd(graph, plugins, "rephrase-question", "route");
  if (makers.translate) graph.addEdge("translate", "retrieve");
  if (makers.grade) graph.addEdge("retrieve", "grade");
  if (makers.rewrite)
    graph.addConditionalEdges("rewrite", afterQuery(retrieval), { query: "retrieve", "not found": "parse" });
  if (makers["next-query"])
    graph.addConditionalEdges("next-query", afterQuery(retrieval), { query: "retrieve", ...onward });
  if (makers.map) graph.addConditionalEdges("map", afterPassages(retrieval), { found: reply, "not found": "parse" });
  if (makers.refine) graph.addConditionalEdges("refine", afterPassages(retrieval), onward);
  const last = makers.check ? "check" : "parse";
  for (const name of new Set([reply, retry])) addEdgeOrEnd(graph, plugins, name, last);
  const verdicts = { "search again": "retrieve", complaint: retry, passed: "parse" } as const;
  if (makers.check) graph.addConditionalEdges("check", afterCheck, verdicts);
  graph
    .addEdge(START, "rephrase-question")
    .addConditionalEdges(makers.route ? "route" : "rephrase-question", afterRoute, {
      search,
      talk: retry,
      ...(endsEarly(plugins) && !makers.route && { returned: END }),
    })
    .addConditionalEdges(makers.grade ? "grade" : "retrieve", afterSearch(retrieval), found)
    .addConditionalEdges("parse", afterReply, { unparseable: retry, finish: END });
  return known(compileAgent(graph, parts, options, Infinity), parts, async () => ({
    ...(await described(parts, ofAgent)),
    ...retrievalDescribed(retrieval, agentOptions.limits),
  }));
}

type NodeMaker = (parts: RetrievalDependencies) => Node<AgentStateUpdate>;

/** Returns the nodes that the options ask for. */
function nodeMakers({ route: routing, isAdaptive, translate: way, grading, combine, checks }: FixedRetrieval) {
  const makers: Partial<Record<NodeName, NodeMaker>> = {
    "rephrase-question": begin,
    ...((routing !== false || isAdaptive) && { route }),
    ...(way && { translate }),
    retrieve,
    ...(grading && { grade }),
    ...(grading && (grading.rewrites > 0 || grading.fallback) && { rewrite }),
    ...(isAdaptive && { "next-query": nextQuery }),
    ...(combine.startsWith("map") && { map }),
    ...(combine === "refine" && { refine }),
    ...(combine === "map-rerank" && { rank }),
    [retryNode({ combine })]: ({ agent }: RetrievalDependencies) => plan(agent),
    ...(checks && { check }),
    parse: finish,
  };
  return makers;
}
