import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** The most that a folder of `src/` has. Who raises a number says in the commit what left for it, or what users get. */
const rooms: Readonly<Record<string, readonly [codeLines: number, files: number, exports: number]>> = {
  ".": [20, 1, 20],
  agent: [976, 16, 141],
  base: [954, 33, 96],
  cli: [3897, 63, 173],
  content: [303, 7, 36],
  core: [5449, 75, 403],
  documents: [2384, 44, 122],
  langgraph: [1026, 20, 81],
  memory: [145, 6, 13],
  middleware: [2077, 39, 91],
  model: [2118, 36, 103],
  postgres: [259, 4, 17],
  prompts: [596, 9, 26],
  graph: [904, 14, 39],
  protocols: [4267, 59, 221],
  "provider-forms": [454, 9, 25],
  retrieval: [1512, 23, 77],
  server: [4223, 68, 158],
  sqlite: [441, 6, 22],
  testing: [240, 3, 20],
  threads: [5788, 73, 356],
  "tool-inputs": [379, 8, 27],
  tools: [1665, 27, 87],
  turns: [381, 7, 18],
  ui: [228, 5, 13],
};

/** The most code lines of the page, without its styles. */
const page = 6_905;

/** The most that the short tests have, and the code lines of all tests. */
const tests = { codeLines: 50_216, definitions: 1878, processes: 14, databases: 223 };

const project = fileURLToPath(new URL("..", import.meta.url));

/** The TypeScript files of a folder, by path. */
function sourcesOf(folder: string): Map<string, string> {
  const paths = readdirSync(`${project}${folder}`, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.m?tsx?$/.test(path) && !path.includes("node_modules"));
  return new Map(paths.map((path) => [path, readFileSync(`${project}${folder}/${path}`, "utf8")]));
}

/** Lines that are neither blank nor a comment. */
const codeLines = (text: string) =>
  text.split("\n").filter((line) => line.trim() !== "" && !/^\s*(?:\/\/|\/?\*)/.test(line)).length;

/** What a file exports: each declaration, each name of a list, and `*` once. */
function exportsOf(text: string): number {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
    ([, names = ""]) => names.match(/[^\s,][^,]*/g) ?? [],
  );
  return lists.length + (text.match(/^export (?!type \{|\{)/gm) ?? []).length;
}

/** Calls that start a process, and calls that open a database. */
const processes = /\b(?:spawn|spawnSync|execFile|execFileSync|execute|startServe|startWorker|glassloop)\(/g;
const databases = /\b(?:openKind|openThreads|createSchema|openPostgres|openDatabase|openSqlite)\(/g;
const definitions = /^\s*(?:it|test)(?:\.\w+(?:\([^\n]*\))?)*\(/gm;

const sum = (texts: readonly string[], count: (text: string) => number) =>
  texts.reduce((total, text) => total + count(text), 0);
const matches = (pattern: RegExp) => (text: string) => text.match(pattern)?.length ?? 0;

/** Says what is above its number, and what is so far below it that the number can be lowered. */
function complaint(name: string, is: number, most: number): string[] {
  if (is > most) return [`${name}: ${is}, at most ${most}`];
  return is < 0.95 * most ? [`${name}: ${is}; lower its number, ${most}`] : [];
}

it("each folder of the sources keeps its budget", () => {
  const byRoom = new Map<string, string[]>();
  for (const [path, text] of sourcesOf("src")) {
    const room = path.includes("/") ? path.replace(/\/.*/, "") : ".";
    byRoom.set(room, [...(byRoom.get(room) ?? []), text]);
  }
  const complaints = [...byRoom].flatMap(([room, texts]) => {
    const [lines, most, exported] = rooms[room] ?? [0, 0, 0];
    return [
      ...complaint(`code lines of ${room}`, sum(texts, codeLines), lines),
      ...complaint(`files of ${room}`, texts.length, most),
      ...complaint(`exports of ${room}`, sum(texts, exportsOf), exported),
    ];
  });
  expect(complaints).toEqual([]);
});

it("the page keeps its budget", () => {
  expect(complaint("code lines of the page", sum([...sourcesOf("page/src").values()], codeLines), page)).toEqual([]);
});

it("the tests keep theirs", () => {
  const all = sourcesOf("test");
  const short = [...all].flatMap(([path, text]) => (/(?<!\.long)\.test\.ts$/.test(path) ? [text] : []));
  expect([
    ...complaint("code lines of all tests", sum([...all.values()], codeLines), tests.codeLines),
    ...complaint("definitions of short tests", sum(short, matches(definitions)), tests.definitions),
    ...complaint("processes that short tests start", sum(short, matches(processes)), tests.processes),
    ...complaint("databases that short tests open", sum(short, matches(databases)), tests.databases),
  ]).toEqual([]);
});
