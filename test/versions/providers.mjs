import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { makeConsumer, project, versionsOf } from "./consumer.mjs";

/** The packages of providers whose versions are told. */
const shown = ["anthropic", "deepseek", "google-genai", "groq", "mistralai", "ollama", "openai", "xai"];

/** Holds conversations through the packages of providers, with servers that keep the providers' rules. */
export function checkProviders(folder) {
  const consumer = makeConsumer("providers", "project-providers", folder);
  cpSync(join(project, "test/helpers/providers"), join(consumer, "providers"), { recursive: true });
  const vitest = join(consumer, "node_modules/vitest/vitest.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run"], {
    cwd: consumer,
    encoding: "utf8",
    maxBuffer: 1e9,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return {
    versions: versionsOf(
      "providers",
      shown.map((name) => `@langchain/${name}`),
    ),
    results: [
      [
        "tool steps and a follow-up turn; streams, retries and usage",
        status === 0 ? "" : `${stdout}${stderr}`.split("\n").slice(-150).join("\n"),
      ],
    ],
  };
}
