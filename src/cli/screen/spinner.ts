import type { EventOf } from "../../core/run/events.js";
import type { Io } from "../io.js";

/** A sign that the program waits for something. */
export interface Waiting {
  start(text: string): void;
  stop(): void;
}

const silenceMs = 20_000;
const frameMs = 80;
const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const clearLine = "\r\u001b[K";

/**
 * Returns a sign on stderr, which also names a long silence: a spinner for a person at a terminal there, else notes. It never hides
 * the cursor, which would stay hidden after `kill -9` or Ctrl-Z.
 *
 * @param note Called with words for a long silence, if there is no spinner.
 */
export function waitingOn({ stderr, env }: Pick<Io, "stderr" | "env">, note: (words: string) => void): Waiting {
  const hasSpinner = stderr.isTTY && env.TERM !== "dumb" && !("CI" in env);
  let frame = 0;
  let timers: NodeJS.Timeout[] = [];
  const every = (run: () => void, milliseconds: number) => timers.push(setInterval(run, milliseconds).unref());
  return {
    start(text) {
      let words = text;
      let silences = 0;
      // A terminal clears no line that was broken. A `^C` needs room, too.
      const turn = () =>
        stderr.write(
          `${clearLine}${`${frames[frame++ % frames.length]} ${words}`.slice(0, (stderr.columns ?? 80) - 3)}`,
        );
      if (hasSpinner) {
        turn();
        every(turn, frameMs);
      }
      every(() => {
        silences += 1;
        words = `${text}, no answer for ${(silences * silenceMs) / 1_000} s`;
        if (hasSpinner) turn();
        else note(words);
      }, silenceMs);
    },
    stop() {
      if (timers.length > 0 && hasSpinner) stderr.write(clearLine);
      for (const timer of timers) clearInterval(timer);
      timers = [];
    },
  };
}

/** Says how far an index is. */
export function indexingWords({ work, done, total }: Pick<EventOf<"indexing">, "work" | "done" | "total">): string {
  const [verb, what] = work === "reading" ? ["Read", "new and changed documents"] : ["Embedded", "passages"];
  return `${verb} ${done.toLocaleString("en")} of ${total.toLocaleString("en")} ${what}`;
}
