export default { test: { include: ["conversations.ts", "own-tools.ts", "packages.ts"], testTimeout: 30_000 } };
