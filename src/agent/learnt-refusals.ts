import type { NamedModel, Refusals } from "../core/parts/models.js";

/** A server may be set up anew, and a gateway may choose another one. Then it is asked again. */
const keptMs = 3_600_000;

/** What the servers of an agent's models refused. It is kept by the name of the model and its server, for an hour. */
export class LearntRefusals implements Refusals {
  readonly #ends = new Map<string, number>();

  learn(model: NamedModel, part: string): void {
    this.#ends.set(keyOf(model, part), Date.now() + keptMs);
  }

  has(model: NamedModel, part: string): boolean {
    return Date.now() < (this.#ends.get(keyOf(model, part)) ?? 0);
  }
}

function keyOf({ name, server }: NamedModel, part: string): string {
  return JSON.stringify([name, server.name(), part]);
}
