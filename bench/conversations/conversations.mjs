import { readFileSync } from "node:fs";

/**
 * The conversations. Each turn has what the person asks and what the model answers. It may have a call with its result,
 * the standalone question that a model makes of it, and `needs`: texts of earlier turns without which nobody can answer it.
 */
export const conversations = readFileSync(new URL("conversations.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
