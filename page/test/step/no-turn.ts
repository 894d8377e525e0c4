/** A turn in which nothing was done, and that is kept. */
export const noTurn = {
  number: 1,
  asked: "Why?",
  steps: [],
  quiet: [],
  searches: [],
  writing: "",
  citations: [],
  citedSources: [],
  waiting: [],
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
