export default { test: { include: ["chats.ts", "page.ts"], testTimeout: 30_000, hookTimeout: 60_000 } };
