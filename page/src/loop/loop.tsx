import { useMemo } from "react";
import { turnSentence } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";
import type { GraphOfServer, ServedAgent } from "../wire.js";
import { Graph } from "./graph.js";
import { pricesOf, type RowNames } from "./rows.js";
import { Waterfall } from "./waterfall.js";
import type { Drawn } from "./waterfall-row.js";
import { replyNode, waysOf } from "./ways.js";

/** What is told of an agent, or of one in a tool. */
export type ToldAgent = Pick<ServedAgent, "models" | "tools" | "retrieval">;

interface Shown extends Pick<Drawn, "step" | "onStep"> {
  readonly turn: Turn;
  readonly agent: ToldAgent | undefined;
  readonly graph: GraphOfServer | undefined;
  /** The name of the person who reads. */
  readonly caller: string | undefined;
}

/** What a turn did: in a sentence, in the graph of its agent, and in time. */
export function Loop({ turn, agent, graph, caller, step, onStep }: Shown) {
  const { head, rest } = turnSentence(turn, caller);
  const ways = useMemo(() => graph && waysOf(turn, graph), [graph, turn]);
  const names = useMemo(
    (): RowNames => ({ reply: graph ? replyNode(graph) : "plan", caller, prices: pricesOf(agent ?? {}) }),
    [graph, caller, agent],
  );
  return (
    <>
      <p className="loop-sentence" dir="auto">
        <b>{head}</b>
        {rest}
      </p>
      {graph && ways && (
        <Graph
          {...{ graph, ways, step, onStep }}
          stands={turn.error ? "failed" : turn.waiting.length > 0 ? "waits" : "works"}
        />
      )}
      <Waterfall {...{ turn, names, step, onStep }} />
    </>
  );
}
