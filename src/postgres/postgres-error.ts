import pg from "pg";
import { GlassloopError, ThreadsDatabaseError } from "../base/errors.js";
import { messageOf } from "../base/message-of.js";
import type { TimeLimits } from "./time-limits.js";

/** The error of a server that gave no sign of life during a query. */
export class SilentServerError extends Error {
  constructor(readonly limitMs: number) {
    super(`The server was silent for ${limitMs} ms.`);
  }
}

/** The error of an address with `require_auth=none` at a server that asks for a password. */
export class PasswordAskedError extends Error {}

/**
 * The codes with which the server says that it did nothing. It stops, starts or has no connection left, or two
 * transactions waited for each other.
 */
const refusals = new Set(["57P01", "57P02", "57P03", "53300", "40P01", "40001"]);

/** Tells whether the same action may succeed later: the server did nothing. */
export function isRefusedForNow(error: unknown): boolean {
  return refusals.has(codeOf(error));
}

/**
 * Tells whether the server answered that a transaction failed, and so was rolled back. Without an answer the transaction may
 * have been committed.
 */
export function wasUndone(error: unknown): boolean {
  const answer = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return answer instanceof pg.DatabaseError && !isRefusedForNow(answer);
}

/** Tells whether the error is that no server answered at the address. */
export function isUnreachable(error: unknown): boolean {
  return codeOf(error) === "ECONNREFUSED" && codeOf(error, "syscall") === "connect";
}

/** Tells whether the error is that nobody answered in time when a connection was to be opened. */
export function isSilent(error: unknown): boolean {
  if (error instanceof SilentServerError || codeOf(error) === "ETIMEDOUT") return true;
  return messageOf(error) === "timeout expired";
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server answers there. Start it, or check the host and the port.",
  ENOTFOUND: "there is no host of that name. Check the address.",
  EAI_AGAIN: "the name of the host cannot be looked up. Check the address and the network.",
  EHOSTUNREACH: "the host cannot be reached. Check the address and the network.",
  ENETUNREACH: "the host cannot be reached. Check the address and the network.",
  "28P01": "the password or the user is wrong. Check both in the address.",
  "28000":
    "the server does not let this user in. Check the user, and whether the server asks for TLS (?sslmode=require).",
  "3D000": "there is no database of that name. Make it (createdb), or check the address.",
  "3F000": "there is no schema to make the tables in. Check the user's search path.",
  "42501": "the user may not make or use the tables. Grant it the rights, or give another user.",
  "53100": "the server's disk is full. What was saved before is safe; make room and try again.",
  "25006": "this server is read-only. Give the address of the primary server.",
  "55P03": "another transaction keeps what is needed locked. Try again.",
  "57014": "the server stopped a query that took too long. Try again.",
  "53300":
    "the server has no connection left for this user. Close some, or allow more: max_connections, or CONNECTION LIMIT of " +
    "the role or the database. Two are needed.",
};

const passwordAsked =
  "the server asks for a password, and the address has none. PGPASSWORD and ~/.pgpass do not go to an address with " +
  "require_auth=none, as one has that only .env names. Write the password into it, or give the address with --db.";

const noPassword = "the server asks for a password, and there is none. Write it into the address, or set PGPASSWORD.";

const silent = "the server does not answer. Check the host, the port and the network.";

const lost = "the connection was lost. What was being saved may be missing; what was saved before is safe. Try again.";

const limitsOf: Readonly<Record<string, keyof TimeLimits>> = { "55P03": "lockTimeoutMs", "57014": "queryTimeoutMs" };

/** The time limit that was reached; undefined if it was none. */
function limitReached(error: unknown): keyof TimeLimits | undefined {
  if (error instanceof SilentServerError) return undefined;
  return isSilent(error) ? "connectTimeoutMs" : limitsOf[codeOf(error)];
}

/** The code of a statement that refused its own transaction, by a null where the table takes none. Whoever wrote it knows why. */
const NULL_REFUSED = "23502";

/** Makes the error that says what is wrong with a database, and what to do. */
export function toDatabaseError(place: string, error: unknown): unknown {
  if (error instanceof GlassloopError || codeOf(error) === NULL_REFUSED) return error;
  const limit = limitReached(error);
  const reason = explainPostgres(error);
  return new ThreadsDatabaseError(place, limit ? `${reason} Or raise ${limit}.` : reason, { cause: error });
}

/** Says what went wrong and what to do. */
export function explainPostgres(error: unknown): string {
  if (error instanceof SilentServerError) return `the server was silent for ${error.limitMs} ms, so ${lost}`;
  if (error instanceof PasswordAskedError) return passwordAsked;
  if (messageOf(error).endsWith("password must be a string")) return noPassword;
  if (isSilent(error)) return silent;
  return reasons[codeOf(error)] ?? (isLost(error) ? lost : unexpected(messageOf(error)));
}

function unexpected(message: string): string {
  return `it failed: ${message.replace(/[.\s]+$/, "")}. The log of the server may say more.`;
}

/** Tells whether the connection was lost meanwhile. All of the action may be done, or nothing. */
export function isLost(error: unknown): boolean {
  if (refusals.has(codeOf(error)) || ["ECONNRESET", "EPIPE", "25P03"].includes(codeOf(error))) return true;
  return /connection (terminated|error)|not queryable|client was closed/i.test(messageOf(error));
}

function codeOf(error: unknown, field: "code" | "syscall" = "code"): string {
  // A host with several addresses gives an error for each. The first one is enough.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? String(Reflect.get(first, field) ?? "") : "";
}
