import yoctoSpinner from "yocto-spinner";
import type { Io } from "../io.js";

/** A sign that the program waits for something. */
export interface Waiting {
  start(text: string): void;
  stop(): void;
}

/** Calls a function again and again, after each time of this length. Returns a function that ends it. */
export type Repeat = (run: () => void, milliseconds: number) => () => void;

export const repeat: Repeat = (run, milliseconds) => {
  const timer = setInterval(run, milliseconds).unref();
  return () => clearInterval(timer);
};

const longSilenceSeconds = 20;

/**
 * Returns a spinner on stderr, which also names a long silence. It shows nothing if no person looks at a terminal there.
 *
 * @param note Called with words for a long silence, if there is no spinner.
 */
export function waitingOn(io: Pick<Io, "stderr" | "env">, note: (words: string) => void, clock: Repeat): Waiting {
  const spinner = spinnerOn(io);
  let stopClock = () => {};
  return {
    start(text) {
      spinner?.start(text);
      let seconds = 0;
      stopClock = clock(() => {
        seconds += longSilenceSeconds;
        const words = `${text}, no answer for ${seconds} s`;
        if (spinner) spinner.text = words;
        else note(words);
      }, longSilenceSeconds * 1_000);
    },
    stop() {
      stopClock();
      spinner?.stop();
    },
  };
}

function spinnerOn({ stderr, env }: Pick<Io, "stderr" | "env">) {
  if (!stderr.isTTY || env.TERM === "dumb" || "CI" in env) return undefined;
  return yoctoSpinner({ stream: stderr, handleSignals: false });
}
