import type { GraphOfServer } from "../../src/wire.js";

/** Writes a graph in lines: `parse > act: action`. */
export function graphOf(lines: string): GraphOfServer {
  const edges = lines
    .trim()
    .split("\n")
    .map((line) => {
      const [, source = "", target = "", data] = /^\s*(\S+) > (\S+?)(?:: (.+))?$/.exec(line) ?? [];
      return { source, target, ...(data !== undefined && { data }), conditional: data !== undefined };
    });
  const names = new Set(edges.flatMap(({ source, target }) => [source, target]));
  return { nodes: [...names].map((id) => ({ id })), edges };
}

/** The graph of an agent. */
export const agentGraph = graphOf(`
  __start__ > rephrase-question
  plan > parse
  rephrase-question > plan
  parse > act: action
  parse > plan: unparseable
  parse > __end__: finish
  act > plan: observed
  act > __end__: returned`);

/** The graph of a retrieval agent that checks its answers. */
export const retrievalGraph = graphOf(`
  __start__ > rephrase-question
  retrieve > grade
  write-answer > check
  rewrite > retrieve: query
  rewrite > parse: not found
  check > retrieve: search again
  check > write-answer: complaint
  check > parse: passed
  rephrase-question > retrieve: search
  rephrase-question > write-answer: talk
  grade > write-answer: found
  grade > parse: not found
  grade > rewrite: try again
  parse > write-answer: unparseable
  parse > __end__: finish`);
