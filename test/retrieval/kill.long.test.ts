import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { type Asked, kindOf } from "./scripted-retrieval.js";

const program = await bundledProgram(new URL("fixtures/retrieval.mjs", import.meta.url));

const replies: Record<Asked, string> = {
  rephrasing: "",
  routing: "documents, several",
  translation: "colours of fruits",
  grading: "1, 2, 3",
  rewriting: "other words",
  nextQuery: "ENOUGH",
  note: "A note.",
  scored: "Red [1].\nScore: 80",
  draft: "A draft.",
  notFound: "Nothing.",
  check: "YES",
  answer: "Red [1].",
};

const endSchema = z.object({
  answer: z.string(),
  stopReason: z.string(),
  modelCalls: z.number(),
  messages: z.number(),
});

/** The moment of a kill: the server holds the request with this number, and so many results of parallel calls are stored. */
interface Kill {
  readonly request: number;
  readonly stored: number;
}

/** Runs a turn in one process after the other. Each but the last is killed with SIGKILL at its moment. */
async function runKilled(options: Record<string, unknown>, kills: readonly Kill[]) {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-retrieval-"));
  const asked: { readonly kind: Asked; readonly isHeld: boolean }[] = [];
  const events = new EventEmitter();
  let moment: Kill | undefined;
  await using server = await startOpenAIServer(({ body }): ServerReply => {
    const kind = kindOf(body.messages.map(({ content }) => String(content)).join("\n\n"));
    const isHeld = moment !== undefined && asked.length + 1 >= moment.request;
    asked.push({ kind, isHeld });
    if (isHeld) events.emit("held");
    return isHeld ? { hang: true } : replies[kind];
  });
  try {
    const start = (): ChildProcess => {
      const argument = { database: `sqlite:${join(folder, "threads.db")}`, baseURL: server.url, options };
      return spawn(process.execPath, [program, JSON.stringify(argument)], {
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
    };
    for (moment of kills) {
      const held = once(events, "held");
      const child = start();
      const ended = once(child, "close");
      const isStored = moment.stored === 0 || told(child, z.object({ stored: z.number().min(moment.stored) }));
      await Promise.all([held, isStored]);
      child.kill("SIGKILL");
      await ended;
    }
    moment = undefined;
    return { asked, end: await told(start(), endSchema) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Waits until a process tells something of this form. */
function told<Told>(child: ChildProcess, schema: z.ZodType<Told>): Promise<Told> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      const { data } = schema.safeParse(message);
      if (data) resolve(data);
    });
  });
}

const all = { translate: true, adaptive: true, grade: true, check: true };

/** The model calls of an undisturbed turn. */
const flows: readonly (readonly [string, Record<string, unknown>, readonly Asked[]])[] = [
  ["all options", all, ["routing", "translation", "grading", "nextQuery", "answer", "check"]],
  ["refine", { combine: "refine" }, ["draft", "draft", "answer"]],
];

describe.each(flows)("a retrieval agent with %s, killed in a model call", (_, options, calls) => {
  it("resumes in another process, and pays for no finished call again, whichever call was killed", async () => {
    const kills = calls.map((_kind, n) => ({ request: 2 * n + 1, stored: 0 }));
    const { asked, end } = await runKilled(options, kills);
    // Each call is made twice: once when its process is killed, and once by the next one.
    expect(asked.map(({ kind }) => kind)).toEqual(calls.flatMap((kind) => [kind, kind]));
    expect(asked.filter(({ isHeld }) => isHeld)).toHaveLength(calls.length);
    expect(end).toEqual({ answer: "Red [1].", stopReason: "answered", modelCalls: calls.length, messages: 2 });
  });
});

describe("parallel calls, of which one hangs when its process is killed", () => {
  it.each([
    ["map-reduce", ["note", "note", "note", "note", "answer"]],
    ["map-rerank", ["scored", "scored", "scored", "scored"]],
  ])("%s: the finished ones are not made again", async (combine, calls) => {
    const { asked, end } = await runKilled({ combine }, [{ request: 3, stored: 2 }]);
    expect(asked.map(({ kind }) => kind)).toEqual(calls);
    expect(end).toEqual({ answer: "Red [1].", stopReason: "answered", modelCalls: calls.length - 1, messages: 2 });
  });
});
