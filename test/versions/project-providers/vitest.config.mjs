const include = ["broken.ts", "command.ts", "conversations.ts", "files.ts", "forms.ts", "own-tools.ts", "packages.ts"];
export default { test: { include, testTimeout: 120_000 } };
