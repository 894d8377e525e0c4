import { readFileSync } from "node:fs";

/**
 * The conversations. Each turn has the question of the person and the answer of the model. A turn may also have a call with
 * its result, the standalone question that a model makes, and `needs`: texts of earlier turns without which nobody can answer
 * the question.
 */
export const conversations = readFileSync(new URL("conversations.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
