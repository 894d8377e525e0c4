import type { ServedThread } from "../threads/runs/index.js";
import type { ServedGraph } from "./engine/served-graph.js";
import { assistantIdOf } from "./wire/assistant-form.js";
import { RequestError } from "./wire/request-error.js";

/** A graph with the name that clients call it. */
interface NamedGraph {
  readonly name: string;
  readonly graph: ServedGraph;
}

/** The graphs of a server. Each has one assistant, whose id is made of its name. */
export class Graphs {
  readonly #byName: ReadonlyMap<string, ServedGraph>;
  readonly #byAgentName: ReadonlyMap<string, string>;
  readonly #names: ReadonlyMap<string, string>;

  constructor(graphs: ReadonlyMap<string, ServedGraph>) {
    this.#byName = graphs;
    // Of several agents with one name it is the first.
    this.#byAgentName = new Map([...graphs].toReversed().map(([name, graph]) => [graph.getName(), name]));
    this.#names = new Map([...graphs.keys()].map((name) => [assistantIdOf(name), name]));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  get all(): NamedGraph[] {
    return [...this.#byName].map(([name, graph]) => ({ name, graph }));
  }

  /**
   * Returns the graph that ran a thread; undefined if the server has it not. A thread of another program names it only by the
   * name that the agent itself has.
   */
  ofThread({ metadata, graph }: Pick<ServedThread, "metadata" | "graph">): NamedGraph | undefined {
    const { graph_id: id } = metadata;
    const name = typeof id === "string" ? id : graph === undefined ? undefined : this.#byAgentName.get(graph);
    const served = name === undefined ? undefined : this.#byName.get(name);
    return name === undefined || served === undefined ? undefined : { name, graph: served };
  }

  /** Returns the name that the agent of a graph has, if threads that only have that name are of this graph. */
  agentName({ name, graph }: NamedGraph): string | undefined {
    return this.#byAgentName.get(graph.getName()) === name ? graph.getName() : undefined;
  }

  /** Returns the graph with a name, or with the id of its assistant. */
  named(nameOrId: string): NamedGraph | undefined {
    const name = this.#names.get(nameOrId) ?? nameOrId;
    const graph = this.#byName.get(name);
    return graph && { name, graph };
  }

  /** Checks the graph that metadata of a thread name. Nobody could read the thread with another. @throws RequestError 422 */
  check({ graph_id: graph }: ServedThread["metadata"]): void {
    if (graph === undefined || (typeof graph === "string" && this.#byName.has(graph))) return;
    throw new RequestError(422, `There is no graph ${JSON.stringify(graph)}. There are: ${this.names.join(", ")}.`);
  }

  /**
   * Finds a graph by its name or the id of its assistant.
   *
   * @throws RequestError 404, which says what is possible.
   */
  find(nameOrId: string): NamedGraph {
    const found = this.named(nameOrId);
    if (found !== undefined) return found;
    throw new RequestError(404, `There is no assistant "${nameOrId}". There are: ${this.names.join(", ")}.`);
  }
}
