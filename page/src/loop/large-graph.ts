import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from "@dagrejs/dagre";
import { boxWidth, isDot, labelWidth, type NamedGraph, type Picture } from "./picture.js";

const BOX = 28;

/** Lays out a graph that is too large for one line. It is a chunk of its own: few agents have one. */
export function layoutLarge({ nodes, edges }: NamedGraph): Picture {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 30, edgesep: 12, marginx: 8, marginy: 8 });
  for (const node of nodes) {
    const width = boxWidth(node, 9);
    graph.setNode(node.id, { width, height: isDot(node.id) ? width : BOX });
  }
  edges.forEach(({ source, target, label }, n) => {
    const size = label === "" ? {} : { width: labelWidth(label) + 8, height: 14, labelpos: "c" as const };
    graph.setEdge(source, target, size, String(n));
  });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    boxes: nodes.map((node) => ({ ...node, isDot: isDot(node.id), ...sizeOf(graph.node(node.id)) })),
    ways: edges.map(({ source, target, label }, n) => {
      const { points = [], x, y } = graph.edge(source, target, String(n));
      const path = points.map((point, at) => `${at === 0 ? "M" : "L"}${round(point.x)} ${round(point.y)}`).join("");
      const isLabelled = label !== "" && x !== undefined && y !== undefined;
      return { source, target, path, ...(isLabelled && { label: { text: label, x: round(x), y: round(y) } }) };
    }),
  };
}

function sizeOf({
  x = 0,
  y = 0,
  width = 0,
  height = 0,
}: Readonly<Partial<Record<"x" | "y" | "width" | "height", number>>>) {
  return { x: round(x), y: round(y), width, height };
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
