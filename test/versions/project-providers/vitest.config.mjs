export default { test: { include: ["conversations.ts", "files.ts"], testTimeout: 30_000 } };
