import { useEffect, useMemo, useState } from "react";
import { goTo } from "../address.js";
import type { OpenThread } from "../client/open-thread.js";
import { useAbout } from "../client/use-about.js";
import type { Turn } from "../turn/turn.js";
import { type Inside, insidesOf } from "./inside.js";
import { Loop, type ToldAgent } from "./loop.js";
import { useGraph } from "./use-graph.js";
import "./loop.css";

/** What a turn did, or an agent in one of its tools: a sentence, the graph with the ways that were taken, and its times. */
export function LoopPane({
  thread,
  turn,
  step,
}: {
  readonly thread: OpenThread;
  readonly turn: Turn;
  readonly step: number | undefined;
}) {
  const { about } = useAbout();
  const graph = useGraph(thread.agent);
  const [place, setPlace] = useState("");
  const insides = useMemo(() => insidesOf(turn), [turn]);
  const inside = insides.find(({ key }) => key === place);
  const { number, kept } = turn;
  const isPart = kept?.isWhole === false;
  useEffect(() => {
    if (isPart) thread.loadWhole(number);
  }, [isPart, number, thread]);

  const agent = about?.agents.find(({ name }) => name === thread.agent);
  const caller = about?.caller.by;
  const show = (chosen: number) => goTo({ thread: thread.id, turn: number, step: chosen });
  return (
    <section className="loop-pane" aria-label="The loop">
      <header>
        <h2>The loop</h2>
        <span className="muted number">turn {number}</span>
        {insides.length > 0 && <Insides insides={insides} place={place} onPlace={setPlace} />}
      </header>
      {inside ? (
        <Loop
          {...{ agent, caller }}
          turn={inside.turn}
          graph={hasSameLoop(agent, inside.path) ? graph : undefined}
          step={undefined}
          onStep={() => show(inside.step)}
        />
      ) : (
        <Loop {...{ agent, caller, turn, graph, step }} onStep={show} />
      )}
    </section>
  );
}

/**
 * Tells whether an agent in a tool has the loop of the agent around it: all agents that do not retrieve have the same one. Of
 * others the graph is not told.
 */
function hasSameLoop(agent: ToldAgent | undefined, [tool, ...path]: readonly string[]): boolean {
  if (agent === undefined || agent.retrieval) return false;
  return tool === undefined || hasSameLoop(agent.tools?.find(({ name }) => name === tool)?.agent, path);
}

interface InsidesShown {
  readonly insides: readonly Inside[];
  readonly place: string;
  readonly onPlace: (place: string) => void;
}

/** Chooses the turn itself, or that of an agent in one of its tools. */
function Insides({ insides, place, onPlace }: InsidesShown) {
  return (
    <select aria-label="Whose loop is shown" value={place} onChange={(event) => onPlace(event.target.value)}>
      <option value="">the whole turn</option>
      {insides.map(({ key, path, step }) => (
        <option key={key} value={key}>
          {`inside ${path.join(" › ")}, step ${step}`}
        </option>
      ))}
    </select>
  );
}
