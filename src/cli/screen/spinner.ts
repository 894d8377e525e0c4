import yoctoSpinner from "yocto-spinner";
import type { Io } from "../io.js";

/** A sign that the program waits for something. */
export interface Waiting {
  start(text: string): void;
  stop(): void;
}

const silent: Waiting = { start() {}, stop() {} };

/** Returns a spinner on stderr. It shows nothing if no person looks at a terminal there. */
export function waitingOn({ stderr, env }: Pick<Io, "stderr" | "env">): Waiting {
  if (!stderr.isTTY || env.TERM === "dumb" || "CI" in env) return silent;
  const spinner = yoctoSpinner({ stream: stderr, handleSignals: false });
  return { start: (text) => void spinner.start(text), stop: () => void spinner.stop() };
}
