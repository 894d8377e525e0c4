export default { test: { include: ["*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000 } };
