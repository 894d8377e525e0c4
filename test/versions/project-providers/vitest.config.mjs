export default { test: { include: ["conversations.ts", "packages.ts"], testTimeout: 30_000 } };
