/** A node of a graph as it is drawn: a box, or a dot where the graph begins and ends. */
export interface Box {
  readonly id: string;
  readonly text: string;
  readonly isDot: boolean;
  /** Its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A way between two boxes: an SVG path that ends with an arrow, and its label. */
export interface Way {
  readonly source: string;
  readonly target: string;
  readonly path: string;
  readonly label?: { readonly text: string; readonly x: number; readonly y: number };
}

/** A graph with places for all of its parts. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly ways: readonly Way[];
}

/** What is drawn: nodes with their words, edges with their labels. */
export interface NamedGraph {
  readonly nodes: readonly { readonly id: string; readonly text: string }[];
  readonly edges: readonly { readonly source: string; readonly target: string; readonly label: string }[];
}

const NODE_LETTER = 6.4;
const LABEL_LETTER = 5.7;
const DOT = 10;

/** The width of a box with its words. */
export function boxWidth({ id, text }: NamedGraph["nodes"][number], padding: number): number {
  return isDot(id) ? DOT : Math.ceil(text.length * NODE_LETTER) + 2 * padding;
}

/** The width of a label. */
export function labelWidth(text: string): number {
  return text.length * LABEL_LETTER;
}

/** Tells whether a node is the beginning or the end of a graph, also of one in another. */
export function isDot(id: string): boolean {
  return /(?:^|:)__(?:start|end)__$/.test(id);
}
