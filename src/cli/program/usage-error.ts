import { GlassloopError } from "../../base/errors.js";

/** The command was used in a way that it cannot be. */
export class UsageError extends GlassloopError {}
