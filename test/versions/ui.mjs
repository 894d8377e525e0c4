import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeConsumer, project, versionsOf } from "./consumer.mjs";

/** The server that plays a model, and what it imports. */
const servers = [
  "openai-server.ts",
  "local-server.ts",
  "providers/chat.ts",
  "providers/provider-server.ts",
  "providers/refusals.ts",
];

/** Tries the route and the page of docs/web.md with the AI SDK: their types, chats without a page, and a page in Chromium. */
export function checkUI(folder) {
  const consumer = makeConsumer("ui", "project-ui", folder);
  mkdirSync(join(consumer, "providers"));
  for (const file of servers) {
    const text = readFileSync(join(project, "test/helpers", file), "utf8");
    writeFileSync(join(consumer, file), text.replace("../../src/testing/index.js", "glassloop/testing"));
  }
  const [, route, page] = /```ts\n(.*?)```.*?```tsx\n(.*?)```/s.exec(
    readFileSync(join(project, "docs/web.md"), "utf8"),
  );
  // The agents of the tests take the place of the one in the document.
  const agent = /^const agent = createAgent\(.*?^\}\);$/ms;
  if (!agent.test(route)) throw new Error("The route of docs/web.md makes its agent in another way.");
  writeFileSync(join(consumer, "route.ts"), `import { agent } from "./agent.js";\n${route.replace(agent, "")}`);
  writeFileSync(join(consumer, "documented-route.ts"), route);
  writeFileSync(join(consumer, "chat.tsx"), page);
  return {
    versions: versionsOf("ui", ["ai", "@ai-sdk/react", "react"]),
    results: [
      ["types of a route and a page", run(consumer, "typescript/bin/tsc", ["--noEmit"])],
      ["chats, and a page in Chromium", run(consumer, "vitest/vitest.mjs", ["run"])],
    ],
  };
}

/** Runs a program of a package. Returns its output when it fails. */
function run(cwd, program, parameters) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(cwd, "node_modules", program), ...parameters], {
    cwd,
    encoding: "utf8",
    maxBuffer: 1e9,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return status === 0 ? "" : `${stdout}${stderr}`.split("\n").slice(-150).join("\n");
}
