import { expect } from "vitest";
import type { ErrorCode, GlassloopError } from "../../src/base/errors.js";

/** Matches an error of a class that has a code. */
export function coded(kind: new (...values: never[]) => GlassloopError, code: ErrorCode): GlassloopError {
  return expect.objectContaining({ name: kind.name, code });
}
