import type { TurnEvent } from "../../src/index.js";
import { checked } from "../helpers/turn-events.js";

/** Reads the lines of `--json`, each of which must be one object. */
export function parseLines(stdout: string) {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Reads the lines of `--json`, each of which must be one event and nothing else. */
export function parseEvents(stdout: string): TurnEvent[] {
  return parseLines(stdout).map((line) => checked(line));
}
