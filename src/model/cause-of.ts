import { ModelError, type ModelErrorKind, type RequestPart } from "../base/errors.js";
import { errorWithoutSecrets, withoutSecretForms } from "../base/secrets/without-secrets.js";
import { type Failure, readFailure } from "./failure.js";
import { failureSentences, type Place } from "./failure-sentences.js";
import { type Cause, causes, packageRefusal } from "./tables/causes.js";
import { refusedParts } from "./tables/refused-parts.js";

/**
 * Names the cause of the failure of a call, by what servers and packages are known to say.
 *
 * @param error The error that a LangChain chat model threw.
 * @param place Where the server of the model is, and where its key is kept.
 * @returns Undefined for an abort, and for an error that is none of a call.
 */
export function causeOf(error: unknown, place: Place): ModelError | undefined {
  const failure = readFailure(error);
  const kind = kindOf(failure);
  if (kind === undefined) return undefined;
  const { status, retryAfterMs } = failure;
  const [problem, advice] = failureSentences(kind, failure, place);
  return new ModelError(kind, withoutSecretForms(problem), {
    cause: errorWithoutSecrets(error),
    status,
    advice,
    refuses: partsIn(kind, failure),
    retryAfterMs,
  });
}

function kindOf(failure: Failure): ModelErrorKind | undefined {
  if (/AbortError$/.test(failure.name) || /^(?:AbortError|Aborted|Cancel)/.test(failure.words)) return undefined;
  const row = causes.find((cause) => fits(cause, failure));
  return row?.kind ?? (failure.body === undefined ? undefined : "server");
}

/** Tells whether a row says what a failure is. */
export function fits({ status, code, words }: Cause, failure: Failure): boolean {
  return (
    (status === undefined || isWithin(status, failure.status)) &&
    (code === undefined || failure.codes.some((one) => code.test(one))) &&
    (words === undefined || words.test(failure.words))
  );
}

function isWithin(range: NonNullable<Cause["status"]>, status: number | undefined): boolean {
  if (range === "none" || status === undefined) return range === "none" && status === undefined;
  return range[0] <= status && status <= range[1];
}

/** The kinds of a server that does not take a request. Some servers refuse with 404, 422 or 500. */
const refusals: ReadonlySet<ModelErrorKind> = new Set(["refused", "server", "not-found"]);

/** Returns the parts of the request that the server or the package does not take. */
function partsIn(kind: ModelErrorKind, { status, words }: Failure): RequestPart[] {
  // The request is too large. Most of its bytes are files.
  if (status === 413) return ["file"];
  if (!refusals.has(kind)) return [];
  if (status === undefined && packageRefusal.test(words)) return ["file"];
  const rows = refusedParts.filter(
    ([, , pattern, range]) => pattern.test(words) && (range === undefined || isWithin(range, status)),
  );
  return [...new Set(rows.map(([part]) => part))];
}
