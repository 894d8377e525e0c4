export default { test: { include: ["conversations.ts", "own-tools.ts"], testTimeout: 30_000 } };
