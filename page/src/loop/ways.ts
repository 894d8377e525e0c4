import type { StopReason } from "../../../src/core/state/decision.js";
import type { Turn } from "../turn/turn.js";
import type { GraphOfServer } from "../wire.js";

/** What a turn took of a graph. */
export interface Ways {
  /** How often it was at each node, and went each way, by `source>target`. */
  readonly visits: ReadonlyMap<string, number>;
  readonly taken: ReadonlyMap<string, number>;
  /** The node where the turn stands: it works there, waits, or failed. */
  readonly live?: string | undefined;
  /** The numbers of the steps in which it was at each node; those below 1 are no steps. */
  readonly steps: ReadonlyMap<string, readonly number[]>;
}

/** Nodes at which a turn was at once, and the step. */
interface Visit {
  readonly nodes: readonly string[];
  readonly step: number;
}

const START = "__start__";
const END = "__end__";

/** The key of a way. */
export function wayOf(source: string, target: string): string {
  return `${source}>${target}`;
}

/** Works out what a turn took of its graph: by its checkpoints if all are kept, else by what its steps tell. */
export function waysOf(turn: Turn, graph: GraphOfServer): Ways {
  const live = liveNode(turn, graph);
  const visits = [{ nodes: [START], step: 0 }, ...(keptVisits(turn) ?? toldVisits(turn, graph))];
  const last = hasEnded(turn) ? END : live;
  if (last !== undefined && !visits.at(-1)?.nodes.includes(last))
    visits.push({ nodes: [last], step: turn.steps.length });
  return { ...counted(followed(visits, graph), graph), live };
}

/** Tells whether a turn went to the end of its graph. One that failed or was stopped did not, unless its thread says so. */
function hasEnded({ stopReason, error, waiting, kept }: Turn): boolean {
  if (stopReason === undefined || waiting.length > 0) return false;
  const next = kept?.next;
  return next ? next.length === 0 : error === undefined && !stoppedEarly.has(stopReason);
}

const stoppedEarly: ReadonlySet<string> = new Set<StopReason>(["cancelled", "interrupted", "failed"]);

/** The visits by the checkpoints of a turn; undefined while it runs, or if its first ones were pruned. */
function keptVisits({ kept, now }: Turn): Visit[] | undefined {
  const [first, ...others] = kept?.checkpoints ?? [];
  if (now !== undefined || !first?.next.includes(START)) return undefined;
  return others.filter(({ nodes }) => nodes.length > 0 && !nodes.includes(START));
}

/** The nodes of the work that a turn tells. Those between them are found in the graph. */
function toldVisits(turn: Turn, graph: GraphOfServer): Visit[] {
  const { steps, quiet, searches, stopReason } = turn;
  const reply = replyNode(graph);
  const between = [
    ...searches.map(({ after, at }) => ({ after, at, node: "retrieve" })),
    ...quiet.map(({ after, at, purpose }) => ({ after, at, node: nodesOfPurposes[purpose] ?? purpose })),
  ].sort((one, other) => (one.at ?? "").localeCompare(other.at ?? ""));
  const byReplies: string[][] = [];
  for (const { after, node } of between) {
    byReplies[after] ??= [];
    byReplies[after].push(node);
  }
  const told = (after: number) =>
    (byReplies[after] ?? [])
      .filter((node, n, all) => node !== all[n - 1] && node !== reply)
      .map((node) => ({ nodes: [node], step: after }));
  const visits = steps.flatMap((step, n): Visit[] => [
    ...told(n),
    { nodes: [reply], step: step.number },
    ...(step.kind === "action" && step.calls.length > 0 ? [{ nodes: ["act"], step: step.number }] : []),
  ]);
  const isAnswered = hasEnded(turn) && stopReason !== "returned" && steps.at(-1)?.kind !== "action";
  const parsed = isAnswered ? [{ nodes: ["parse"], step: steps.length }] : [];
  return [...visits, ...told(steps.length), ...parsed].filter(({ nodes }) =>
    graph.nodes.some(({ id }) => nodes.includes(id)),
  );
}

/** The nodes in which quiet calls are made. */
const nodesOfPurposes: Readonly<Record<string, string>> = {
  rephrasing: "rephrase-question",
  summary: "plan",
  routing: "route",
  translation: "translate",
  grading: "grade",
  rewriting: "rewrite",
  note: "map",
  draft: "refine",
  "not-found": "parse",
};

/** The node that leaves the replies of steps. */
export function replyNode({ nodes }: GraphOfServer): string {
  return ["plan", "reduce", "rank", "write-answer"].find((name) => nodes.some(({ id }) => id === name)) ?? "plan";
}

function liveNode({ now, waiting, error, kept }: Turn, graph: GraphOfServer): string | undefined {
  const [next = waiting.length > 0 ? "act" : undefined] = kept?.next ?? [];
  const node = waiting.length > 0 || error ? next : now?.node;
  return node === "plan" ? replyNode(graph) : node;
}

/** Puts the nodes between two visits that are no neighbours: those of the shortest way. */
function followed(visits: readonly Visit[], graph: GraphOfServer): Visit[] {
  const known = new Map<string, readonly string[]>();
  const between = (from: readonly string[], to: readonly string[]) => {
    const [key, [source = "", target = ""]] = [`${from}>${to}`, [from[0], to[0]]];
    const found = known.get(key) ?? (from.length * to.length === 1 ? shortestWay(graph, source, target) : []);
    known.set(key, found);
    return found;
  };
  return visits.flatMap((visit, n) => {
    const before = visits[n - 1];
    const way = before ? between(before.nodes, visit.nodes) : [];
    const step = Math.max(before?.step ?? 0, 0);
    return [...way.map((node) => ({ nodes: [node], step })), visit];
  });
}

/** The nodes between two nodes; none if there is no way. */
function shortestWay({ edges }: GraphOfServer, source: string, target: string): string[] {
  const seen = new Set<string>();
  let ways = [[source]];
  while (ways.length > 0) {
    const next: string[][] = [];
    for (const way of ways) {
      for (const edge of edges.filter((one) => one.source === way.at(-1))) {
        if (edge.target === target) return way.slice(1);
        if (edge.target !== END && !seen.has(edge.target)) next.push([...way, edge.target]);
        seen.add(edge.target);
      }
    }
    ways = next;
  }
  return [];
}

function counted(way: readonly Visit[], { edges }: GraphOfServer): Pick<Ways, "visits" | "taken" | "steps"> {
  const known = new Set(edges.map(({ source, target }) => wayOf(source, target)));
  const [visits, taken, steps] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number[]>()];
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  way.forEach(({ nodes, step }, n) => {
    for (const node of nodes) {
      count(visits, node);
      const seen = steps.get(node);
      if (seen === undefined) steps.set(node, [step]);
      else if (seen.at(-1) !== step) seen.push(step);
      for (const source of way[n - 1]?.nodes ?? [])
        if (known.has(wayOf(source, node))) count(taken, wayOf(source, node));
    }
  });
  return { visits, taken, steps };
}
