import type { RunnableConfig } from "@langchain/core/runnables";
import { GlassloopError, ModelError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import type { NamedModel, NamedModels } from "../parts/models.js";
import type { Purpose } from "../run/events.js";
import { runOf } from "../run/run.js";

/** Returns models in the order in which a turn asks them now. Those that failed in it come last. */
export function inOrder(models: NamedModels, config: RunnableConfig): NamedModels {
  const { failed } = runOf(config).turn;
  const place = ({ model }: NamedModel) => Number(failed.has(model));
  const [first = models[0], ...others] = models.toSorted((one, other) => place(one) - place(other));
  return [first, ...others];
}

/**
 * Makes the rule for the failure of a model: the next one is asked. It emits each change. A mistake in the options and an abort
 * end the asking at once. If there is no other model, it throws the error of the only one, or a {@link ModelError} with the
 * failures of all.
 */
export function fallback(purpose: Purpose, config: RunnableConfig) {
  const run = runOf(config);
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  return (error: unknown, [{ name, model }, next, ...others]: NamedModels): NamedModels => {
    if (config.signal?.aborted || isMistake(error)) throw error;
    failures.push({ name, error });
    if (next === undefined) throw failures.length === 1 ? error : allFailed(failures);
    run.turn.failed.add(model);
    const why = error instanceof ModelError ? error.problem : messageOf(error);
    run.emit({ type: "model-fallback", purpose, from: name, to: next.name, why });
    return [next, ...others];
  };
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

/** Tells whether a model call failed because the time of its turn is over. */
export function isTimeOver(error: unknown, left: number): boolean {
  return error instanceof ModelError && error.kind === "timeout" && left <= 0;
}
