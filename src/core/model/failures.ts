import type { RunnableConfig } from "@langchain/core/runnables";
import { GlassloopError, ModelError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import type { NamedModel, NamedModels } from "../parts/models.js";
import type { Purpose } from "../run/events.js";
import { runOf } from "../run/run.js";

/** Returns the model that a turn asks now: the first one that did not fail in it. */
export function currentModel(models: NamedModels, config: RunnableConfig): NamedModel {
  const { failed } = runOf(config).turn;
  return models.find(({ model }) => !failed.has(model)) ?? models[0];
}

/**
 * Asks the models one after the other, until one answers. It emits each change. Models that failed before in the turn come
 * last.
 *
 * @throws The error of the only model, or a {@link ModelError} with the failures of all. A mistake in the options and an
 *   abort end the asking at once.
 */
export async function firstToAnswer<Answer>(
  purpose: Purpose,
  all: readonly NamedModel[],
  config: RunnableConfig,
  ask: (model: NamedModel) => Promise<Answer>,
): Promise<Answer> {
  const run = runOf(config);
  const { failed } = run.turn;
  const models = [...all.filter(({ model }) => !failed.has(model)), ...all.filter(({ model }) => failed.has(model))];
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const [n, model] of models.entries()) {
    try {
      return await ask(model);
    } catch (error) {
      if (config.signal?.aborted || isMistake(error)) throw error;
      failures.push({ name: model.name, error });
      const next = models[n + 1];
      if (next === undefined) continue;
      failed.add(model.model);
      const why = error instanceof ModelError ? error.problem : messageOf(error);
      run.emit({ type: "model-fallback", purpose, from: model.name, to: next.name, why });
    }
  }
  throw failures.length === 1 ? failures[0]?.error : allFailed(failures);
}

/** Tells whether an error is a mistake in the use of the package, which no other call avoids. */
export function isMistake(error: unknown): boolean {
  return error instanceof GlassloopError && !(error instanceof ModelError);
}

function allFailed(failures: readonly { readonly name: string; readonly error: unknown }[]): ModelError {
  const last = failures.at(-1)?.error;
  const { kind = "server", status = undefined } = last instanceof ModelError ? last : {};
  const words = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`).join(" ");
  const cause = new AggregateError(failures.map(({ error }) => error));
  return new ModelError(kind, `No model answered. ${words}`, { cause, status });
}

/** Tells whether a server refused a prompt because it is too long. */
export function isTooLong(error: unknown): error is ModelError {
  return error instanceof ModelError && error.kind === "too-long";
}
