import { setImmediate } from "node:timers/promises";
import type { Input } from "../io.js";

/** Throws away what was typed before a question was shown, as it is no answer to it. Tells whether there was something. */
export async function discardTyped(stdin: Input): Promise<boolean> {
  let typed = false;
  const note = () => {
    typed = true;
  };
  // A line that was not entered yet leaves the terminal in raw mode only.
  stdin.setRawMode?.(true);
  stdin.on("data", note);
  stdin.resume();
  // What waits at the terminal is read in the first of these rounds of the event loop.
  for (let round = 0; round < 3; round += 1) await setImmediate();
  stdin.off("data", note);
  stdin.pause();
  stdin.setRawMode?.(false);
  return typed;
}
