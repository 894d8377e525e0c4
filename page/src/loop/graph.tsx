import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { count, counted } from "../turn/amounts.js";
import type { GraphOfServer } from "../wire.js";
import { layout } from "./layout.js";
import type { Box, NamedGraph, Picture } from "./picture.js";
import { type Ways, wayOf } from "./ways.js";
import "./graph.css";

/** Above so many nodes a graph does not fit on a line. */
const SMALL = 12;

/** How a turn is at the node where it stands. */
export type Standing = "works" | "waits" | "failed";

interface Shown {
  readonly graph: GraphOfServer;
  readonly ways: Ways;
  /** The number of the chosen step. */
  readonly step: number | undefined;
  /** Shows a step of a node. */
  readonly onStep: (step: number) => void;
}

/** A graph with what a turn took of it: the ways with their counts, the node that works, and the nodes of a step. */
export function Graph({ graph, ways, stands, step, onStep }: Shown & { readonly stands: Standing }) {
  const named = useMemo(() => withCounts(graph, ways), [graph, ways]);
  const picture = usePicture(named);
  const box = useRef<HTMLElement>(null);
  // A narrow page shows a part of the picture: that of the step, or where the turn is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it moves when another node is lit
  useEffect(() => {
    const around = box.current;
    const lit = around?.querySelector("[data-live]") ?? around?.querySelector("[data-lit]");
    if (lit && around) around.scrollLeft += lit.getBoundingClientRect().left - around.getBoundingClientRect().left - 60;
  }, [picture, step, ways.live]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a picture that is wider than its page
    <section className="graph" aria-label="The graph" data-stands={stands} ref={box} tabIndex={0}>
      {picture && <Drawing picture={picture} ways={ways} step={step} onStep={onStep} />}
    </section>
  );
}

/** Puts counts to the names of nodes and ways. */
function withCounts({ nodes, edges }: GraphOfServer, { visits, taken }: Ways): NamedGraph {
  const times = (text: string, number = 0) => (number > 1 ? `${text} ×${count(number)}` : text);
  return {
    nodes: nodes.map(({ id }) => ({ id, text: times(id.replace(/^.*:/, ""), visits.get(id)) })),
    edges: edges.map(({ source, target, data = "" }) => {
      return { source, target, label: data && times(data, taken.get(wayOf(source, target))) };
    }),
  };
}

/** A large graph is laid out by code that is loaded then. */
function usePicture(graph: NamedGraph): Picture | undefined {
  const isSmall = graph.nodes.filter(({ id }) => !id.startsWith("__")).length <= SMALL;
  const [large, setLarge] = useState<Picture>();
  useEffect(() => {
    let isWanted = !isSmall;
    if (!isSmall) import("./large-graph.js").then(({ layoutLarge }) => isWanted && setLarge(layoutLarge(graph)));
    return () => {
      isWanted = false;
    };
  }, [graph, isSmall]);
  const small = useMemo(() => (isSmall ? layout(graph) : undefined), [graph, isSmall]);
  return isSmall ? small : large;
}

function Drawing({ picture, ways, step, onStep }: Omit<Shown, "graph"> & { readonly picture: Picture }) {
  const arrow = useId();
  const isTaken = ({ source, target }: Picture["ways"][number]) => ways.taken.has(wayOf(source, target));
  // What was taken is drawn over what was not.
  const drawn = [...picture.ways].sort((one, other) => Number(isTaken(one)) - Number(isTaken(other)));
  return (
    <svg viewBox={`0 0 ${picture.width} ${picture.height}`} width={picture.width} height={picture.height}>
      <title>The graph of the agent, with the ways that the turn took.</title>
      {["pale", "dark"].map((tone) => (
        <marker key={tone} id={`${arrow}${tone}`} className="arrow" data-tone={tone} {...arrowForm}>
          <path d="M0 0.5L8 4L0 7.5z" />
        </marker>
      ))}
      {drawn.map((way) => (
        <g
          key={`${wayOf(way.source, way.target)} ${way.label?.text}`}
          className="way"
          data-taken={isTaken(way) || undefined}
        >
          <path d={way.path} markerEnd={`url(#${arrow}${isTaken(way) ? "dark" : "pale"})`} />
          {way.label && (
            <text x={way.label.x} y={way.label.y + 3.5}>
              {way.label.text}
            </text>
          )}
        </g>
      ))}
      {picture.boxes.map((box) => (
        <GraphNode key={box.id} box={box} ways={ways} step={step} onStep={onStep} />
      ))}
    </svg>
  );
}

const arrowForm = {
  viewBox: "0 0 8 8",
  refX: 7,
  refY: 4,
  markerWidth: 7,
  markerHeight: 7,
  orient: "auto",
  markerUnits: "userSpaceOnUse",
};

/** A node. Each press shows its next step. */
function GraphNode({ box, ways, step, onStep }: Omit<Shown, "graph"> & { readonly box: Box }) {
  const { id, x, y, width, height } = box;
  const visits = ways.visits.get(id) ?? 0;
  if (box.isDot) return <circle cx={x} cy={y} r={width / 2} className="dot" data-taken={visits > 0 || undefined} />;
  const steps = (ways.steps.get(id) ?? []).filter((one) => one > 0);
  const next = steps.find((one) => one > (step ?? 0)) ?? steps[0];
  const show = () => next !== undefined && onStep(next);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    show();
  };
  const isLit = step !== undefined && ways.steps.get(id)?.includes(step);
  const marks = {
    "data-taken": visits > 0 || undefined,
    "data-lit": isLit || undefined,
    "data-live": ways.live === id || undefined,
  };
  const label = `${id}: ${visits === 0 ? "not reached" : counted(visits, "time")}${ways.live === id ? ", here" : ""}`;
  const [left, top] = [x - width / 2, y - height / 2];
  const button = next === undefined ? {} : { role: "button", tabIndex: 0, onClick: show, onKeyDown: press };
  return (
    <g className="node" aria-label={label} {...marks} {...button}>
      {ways.live === id && (
        <rect className="ring" x={left - 3} y={top - 3} width={width + 6} height={height + 6} rx={9} />
      )}
      <rect x={left} y={top} width={width} height={height} rx={6} />
      <text x={x} y={y + 4}>
        {box.text}
      </text>
    </g>
  );
}
