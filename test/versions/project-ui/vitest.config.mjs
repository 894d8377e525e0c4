const poll = { timeout: 100_000 };
export default {
  test: { include: ["chats.ts", "page.ts"], testTimeout: 120_000, hookTimeout: 120_000, expect: { poll } },
};
