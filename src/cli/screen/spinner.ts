import yoctoSpinner from "yocto-spinner";
import type { Io } from "../io.js";

/** Tells that something is being waited for. */
export interface Waiting {
  start(text: string): void;
  stop(): void;
}

const silent: Waiting = { start() {}, stop() {} };

/** A spinner on stderr; nothing where that is no terminal that a person looks at. */
export function waitingOn({ stderr, env }: Pick<Io, "stderr" | "env">): Waiting {
  if (!stderr.isTTY || env.TERM === "dumb" || "CI" in env) return silent;
  const spinner = yoctoSpinner({ stream: stderr, handleSignals: false });
  return { start: (text) => void spinner.start(text), stop: () => void spinner.stop() };
}
