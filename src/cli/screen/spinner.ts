import type { Io, Output } from "../io.js";

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
        if (spinner) spinner.start(words);
        else note(words);
      }, longSilenceSeconds * 1_000);
    },
    stop() {
      stopClock();
      spinner?.stop();
    },
  };
}

const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const frameMs = 80;

/**
 * Returns a spinner; undefined if no person looks at a terminal. It never hides the cursor, which would stay hidden after
 * `kill -9` or Ctrl-Z.
 */
function spinnerOn({ stderr, env }: Pick<Io, "stderr" | "env">): Waiting | undefined {
  if (!stderr.isTTY || env.TERM === "dumb" || "CI" in env) return undefined;
  let frame = 0;
  let stopTurning: (() => void) | undefined;
  function stop() {
    if (stopTurning) stderr.write(clearLine);
    stopTurning?.();
    stopTurning = undefined;
  }
  return {
    start(text) {
      stop();
      const turn = () =>
        void stderr.write(`${clearLine}${inOneLine(`${frames[frame++ % frames.length]} ${text}`, stderr)}`);
      turn();
      stopTurning = repeat(turn, frameMs);
    },
    stop,
  };
}

const clearLine = "\r\u001b[K";

/** Shortens a text, so that the line can be cleared: a terminal clears no line that was broken. A `^C` needs room, too. */
function inOneLine(text: string, { columns = 80 }: Output): string {
  return text.slice(0, columns - 3);
}
