export default { test: { include: ["conversations.ts"], testTimeout: 30_000 } };
