import { AsyncLocalStorage } from "node:async_hooks";
import { z } from "zod";
import { isRecord } from "../base/is-record.js";
import { perModel } from "./chat-models.js";

type OnFailedAttempt = (error: unknown) => unknown;

const callerSchema = z.object({
  maxRetries: z.number(),
  onFailedAttempt: z.custom<OnFailedAttempt>((value) => typeof value === "function"),
});

/** LangChain's `AsyncCaller` in a model, as in @langchain/core 1.2.13 to 1.4.0. A model without one retries as it likes. */
type Caller = z.infer<typeof callerSchema>;

/** Returns the number of retries for which a model is set; undefined if it does not say. */
export function ownRetries(model: object): number | undefined {
  return callersOf(model)[0]?.maxRetries;
}

const isAsking = new AsyncLocalStorage<true>();
const prepared = new WeakSet<object>();

/**
 * Asks a model once. LangChain retries deep inside a model, in silence. So it would multiply the retries of an agent. A
 * model that Glassloop asks does not do that. For everybody else it stays as it is.
 */
export function askOnce<Answer>(model: object, ask: () => Promise<Answer>): Promise<Answer> {
  for (const caller of callersOf(model)) {
    if (prepared.has(caller)) continue;
    prepared.add(caller);
    const { onFailedAttempt } = caller;
    caller.onFailedAttempt = (error) => {
      if (isAsking.getStore()) throw error;
      return onFailedAttempt.call(caller, error);
    };
  }
  return isAsking.run(true, ask);
}

/** Returns the callers in a model. `ChatOpenAI` has one for each of its two APIs, too. */
const callersOf = perModel((model) =>
  [model, part(model, "completions"), part(model, "responses")].map((owner) => part(owner, "caller")).filter(isCaller),
);

function part(owner: unknown, name: string): unknown {
  return isRecord(owner) ? owner[name] : undefined;
}

function isCaller(value: unknown): value is Caller {
  return callerSchema.safeParse(value).success;
}
