const include = ["command.ts", "conversations.ts", "ends.ts", "files.ts", "own-tools.ts", "packages.ts"];
export default { test: { include, testTimeout: 120_000 } };
