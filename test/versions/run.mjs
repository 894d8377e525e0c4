// Tries Glassloop beside other versions of LangChain's packages, and in a server of Next.
//
//   node test/versions/run.mjs                 all, as their lock files record them; the newest ones unless `npm test` runs with them
//   node test/versions/run.mjs lowest          the lowest versions that package.json allows
//   node test/versions/run.mjs newest          the newest ones
//   node test/versions/run.mjs published       what npm has of them today, even above the range
//   node test/versions/run.mjs providers       the packages of model providers, with servers that keep their rules
//   node test/versions/run.mjs ui              the AI SDK, with a chat page in Chromium
//   node test/versions/run.mjs next            a server of Next, built by Turbopack
//   node test/versions/run.mjs next-webpack    a server of Next, built by webpack; only if it is named
//   node test/versions/run.mjs --refresh       writes the lock files anew, from package.json and the registry
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { here, lockedIn, npm, project } from "./consumer.mjs";
import { checkLangChain, shown } from "./langchain.mjs";
import { checkNext } from "./next.mjs";
import { checkProviders } from "./providers.mjs";
import { checkUI } from "./ui.mjs";

const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(join(project, "package.json"), "utf8"),
);
const locked = lockedIn(project);

/** What a project may have beside Glassloop. */
const neighbours = { langchain: "^1.5.14", "@langchain/anthropic": "^1.5.11" };
/** The packages of model providers. */
const providers = {
  "@langchain/anthropic": "^1.5.11",
  "@langchain/deepseek": "^1.1.13",
  "@langchain/google-genai": "^2.3.2",
  "@langchain/groq": "^1.3.1",
  "@langchain/mistralai": "^1.2.0",
  "@langchain/ollama": "^1.3.0",
  "@langchain/xai": "^1.4.15",
};
/** The AI SDK, and what a page of it needs. */
const ui = {
  "@ai-sdk/react": "^4.0.177",
  "@types/react": "^19.2.0",
  "@types/react-dom": "^19.2.0",
  ai: "^7.0.173",
  react: "^19.2.1",
  "react-dom": "^19.2.1",
};
const ours = { ...devDependencies, ...dependencies };
const needed = Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional);

/** The packages of each project. Those of the lists of names have the versions that our tests run with. */
const projects = {
  lowest: {
    ...exact(ours),
    ...neighbours,
    ...peers((range) => /[\d.]+/.exec(range)[0]),
  },
  newest: { ...exact(ours), ...neighbours, ...peerDependencies },
  published: { ...exact(ours), ...neighbours, ...peers(() => "latest") },
  providers: {
    ...exact({ ...dependencies, vitest: devDependencies.vitest }),
    ...Object.fromEntries(needed),
    ...providers,
  },
  ui: {
    ...exact({ ...dependencies, ...only(["@types/node", "esbuild", "playwright-core", "typescript", "vitest"]) }),
    ...Object.fromEntries(needed),
    ...ui,
  },
  next: {
    ...exact(dependencies),
    ...Object.fromEntries(needed),
    next: "^16.4.6",
    react: "^19.2.0",
    "react-dom": "^19.2.0",
  },
};

/** Returns the name of a lock file, unless it has the versions of our own one. */
function unlessOurs(name) {
  const theirs = lockedIn(join(here, name));
  return shown.every((one) => locked[one] === undefined || locked[one] === theirs[one]) ? [] : [name];
}

function only(names) {
  return Object.fromEntries(names.map((name) => [name, devDependencies[name]]));
}

function peers(change) {
  return Object.fromEntries(Object.entries(peerDependencies).map(([name, range]) => [name, change(range)]));
}

const checks = {
  lowest: (folder) => checkLangChain("lowest", folder),
  newest: (folder) => checkLangChain("newest", folder),
  published: (folder) => {
    refresh("published");
    return checkLangChain("published", folder);
  },
  providers: checkProviders,
  ui: checkUI,
  next: (folder) => checkNext("--turbopack", folder),
  "next-webpack": (folder) => checkNext("--webpack", folder),
};

const { values, positionals } = parseArgs({ options: { refresh: { type: "boolean" } }, allowPositionals: true });
const known = Object.keys(values.refresh ? projects : checks);
const names = positionals.length > 0 ? positionals : ["lowest", ...unlessOurs("newest"), "providers", "ui", "next"];
for (const name of names) {
  if (!known.includes(name)) throw new Error(`There are no versions "${name}". Give ${known.join(" or ")}.`);
}
if (values.refresh) for (const name of names) refresh(name);
else if (names.length === 1) await check(names[0]);
else await Promise.all([checkOneByOne(names), checkOneByOne(names)]);

/** Takes names until none is left, each in a process of its own. Two such lines use two cores: installing and compiling use one. */
async function checkOneByOne(left) {
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name], { stdio: "inherit" });
    const [code] = await once(child, "exit");
    if (code !== 0) process.exitCode = 1;
  }
}

function exact(packages) {
  return Object.fromEntries(Object.keys(packages).map((name) => [name, locked[name]]));
}

function refresh(name) {
  const sorted = Object.fromEntries(Object.entries(projects[name]).sort(([a], [b]) => (a < b ? -1 : 1)));
  const folder = join(here, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const content = { name: `glassloop-with-${name}`, private: true, type: "module", dependencies: sorted };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
  npm(folder, ["install", "--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved"]);
}

async function check(name) {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-versions-"));
  // Some tests run a program as another user, who has to read it.
  chmodSync(folder, 0o755);
  try {
    const { versions, results } = await checks[name](folder);
    console.log(`\n${name}: ${versions}`);
    for (const [what, problem] of results)
      console.log(`  ${problem === "" ? "passed" : "FAILED"}  ${what}${problem && `\n${problem}`}`);
    if (results.some(([, problem]) => problem !== "")) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (name === "published") rmSync(join(here, name), { recursive: true, force: true });
  }
}
