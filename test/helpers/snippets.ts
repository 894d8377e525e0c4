import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { type ServerReply, startOpenAIServer } from "./openai-server.js";

const run = promisify(execFile);

/** Runs programs in one process, which has to load the packages only once. Writes what each of them printed. */
const runner = `
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
const { programs, result } = JSON.parse(process.argv[2]);
const printed = [];
process.stdout.write = (text) => {
  printed[printed.length - 1] += text;
  return true;
};
for (const { path, url } of programs) {
  printed.push("");
  process.env.OPENAI_BASE_URL = url;
  process.chdir(dirname(path));
  await import(pathToFileURL(path).href);
  writeFileSync(result, JSON.stringify(printed));
}
`;

/** A program of a page. */
export interface Snippet {
  /** The heading above it. */
  readonly heading: string;
  /** The name of its file, if its first line is a comment with one. */
  readonly file: string | undefined;
  readonly code: string;
}

/** Returns the programs of a page. */
export function snippetsOf(page: string): Snippet[] {
  return readFileSync(page, "utf8")
    .split(/^#+ /m)
    .flatMap((section) => {
      const heading = section.slice(0, section.indexOf("\n"));
      return [...section.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => ({
        heading,
        file: /^\/\/ (\S+\.mjs)/.exec(code)?.[1],
        code,
      }));
    });
}

/** A program to run, and the server of its model. */
export interface Program {
  readonly path: string;
  readonly url: string;
  /** Variables of the process beside those that each program has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program to run, and what its model replies. */
export interface ModelProgram {
  readonly replies: readonly ServerReply[];
  /** Writes the program for the server of its model. Returns its path. */
  write(url: string): string;
}

/** A folder of a user who has installed the package, the packages beside it and `node_modules` of ours by name. */
export class UserFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "glassloop-user-"));

  constructor(packages: readonly string[] = []) {
    mkdirSync(join(this.path, "node_modules"));
    symlinkSync(resolve("."), join(this.path, "node_modules/glassloop"), "junction");
    for (const name of ["@langchain", "zod", ...packages]) {
      symlinkSync(resolve("node_modules", name), join(this.path, "node_modules", name), "junction");
    }
  }

  /** Writes a file, and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Runs programs one after the other in a process of their own, each in its folder. Returns what each printed. */
  async run(...programs: Program[]): Promise<string[]> {
    const result = join(this.path, "printed.json");
    const file = this.write("run.mjs", runner);
    const given = Object.assign({}, ...programs.map(({ env }) => env));
    const env = { PATH: process.env.PATH, NO_COLOR: "1", OPENAI_API_KEY: "key", ...given };
    await run(process.execPath, [file, JSON.stringify({ programs, result })], { cwd: this.path, env });
    return z.array(z.string()).parse(JSON.parse(readFileSync(result, "utf8")));
  }

  /** Runs programs likewise, each with a model that gives its replies. Returns what each printed, and what its model was asked. */
  async runWithModels(programs: readonly ModelProgram[]) {
    const servers = await Promise.all(programs.map(({ replies }) => startOpenAIServer(replies)));
    try {
      const urls = servers.map(({ url }) => url);
      const printed = await this.run(
        ...programs.map(({ write }, n) => ({ path: write(urls[n] ?? ""), url: urls[n] ?? "" })),
      );
      return { printed, requests: servers.map(({ requests }) => requests) };
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
