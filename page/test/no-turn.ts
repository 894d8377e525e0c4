import type { Turn } from "../src/turn/turn.js";

/** What a turn has in which nothing was done. */
export const nothingDone = {
  steps: [],
  quiet: [],
  searches: [],
  writing: "",
  citations: [],
  citedSources: [],
  waiting: [],
} satisfies Partial<Turn>;

/** A turn in which nothing was done, and that is kept. */
export const noTurn = {
  number: 1,
  asked: "Why?",
  ...nothingDone,
  kept: {
    begin: "b",
    end: "e",
    writtenAt: "2026-11-29T10:00:00.000Z",
    next: [],
    isWhole: true,
    checkpoints: [],
    sources: [],
  },
};
