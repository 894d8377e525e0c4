import type { ServedGraph } from "./engine/served-graph.js";
import { assistantIdOf } from "./wire/assistant-form.js";
import { RequestError } from "./wire/request-error.js";

/** A graph with the name that clients call it. */
export interface NamedGraph {
  readonly name: string;
  readonly graph: ServedGraph;
}

/** The graphs of a server. Each has one assistant, whose id is made of its name. */
export class Graphs {
  readonly #byName: ReadonlyMap<string, ServedGraph>;
  readonly #names: ReadonlyMap<string, string>;

  constructor(graphs: ReadonlyMap<string, ServedGraph>) {
    this.#byName = graphs;
    this.#names = new Map([...graphs.keys()].map((name) => [assistantIdOf(name), name]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /**
   * Returns the graph that ran a thread; undefined if the server has it not. A thread of the command line names none: it is that
   * of the only graph.
   */
  ofThread({ graph_id }: Readonly<Record<string, unknown>>): ServedGraph | undefined {
    const [only, another] = this.names;
    const name = typeof graph_id === "string" ? graph_id : another === undefined ? only : undefined;
    return name === undefined ? undefined : this.#byName.get(name);
  }

  /**
   * Finds a graph by its name or the id of its assistant.
   *
   * @throws RequestError 404, which says what is possible.
   */
  find(nameOrId: string): NamedGraph {
    const name = this.#names.get(nameOrId) ?? nameOrId;
    const graph = this.#byName.get(name);
    if (graph !== undefined) return { name, graph };
    throw new RequestError(404, `There is no assistant "${nameOrId}". There are: ${this.names.join(", ")}.`);
  }
}
