import picocolors from "picocolors";
import type { Io, Output } from "../io.js";

export type Colours = ReturnType<typeof picocolors.createColors>;

/**
 * Returns the colours for a stream. There are none if `NO_COLOR` is set. `FORCE_COLOR` turns them on. Without both, a
 * terminal has colours, unless `TERM` is dumb.
 */
export function coloursFor(output: Output, env: Io["env"]): Colours {
  return picocolors.createColors(wantsColours(output, env));
}

function wantsColours(output: Output, { NO_COLOR, FORCE_COLOR, TERM }: Io["env"]): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return output.isTTY === true && TERM !== "dumb";
}
