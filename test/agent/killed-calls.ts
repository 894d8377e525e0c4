import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { createAgent, openThreads } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type ServerReply, type ServerRequest, startOpenAIServer } from "../helpers/openai-server.js";

const program = await bundledProgram(new URL("fixtures/model-calls.mjs", import.meta.url));

/**
 * The moment at which a process is killed: while the server holds a request, when a part of its reply has arrived, when the
 * server sees its connection closed, or when the process tells an event after it. Requests count from 1, in all processes.
 */
export type Moment = readonly [request: number, kill: "held" | "half" | "closed" | (string & {})];

/** A request as the server saw it. Its step is one more than the paid bills in its prompt. */
export interface Asked {
  readonly model: string;
  readonly question: "first" | "second";
  readonly step: number;
  readonly prompt: string;
  /** Its reply was sent to its end. */
  isWhole: boolean;
}

/** A turn that pays three bills and then answers, and what disturbs it. */
export interface Disturbed {
  readonly models: readonly string[];
  readonly options?: Record<string, unknown>;
  /** Each process goes on with the turn, also if it ended at a limit. */
  readonly continues?: boolean;
  /** The turn is cancelled when its answer has this word. */
  readonly cancelAt?: string;
  /** What the second process asks. Default: nothing, it goes on as all that follow. */
  readonly next?: string;
  /** Returns the disturbing reply to a request, if there is one. `tries` are the earlier requests that got one. */
  readonly disturb: (asked: Asked, tries: number) => ServerReply | undefined;
}

export const question = "Pay the bills.";
export const usage = { prompt: 1_000, completion: 100 };

/** Runs a turn in one process after the other, on one SQLite file. Each but the last is killed with SIGKILL at its moment. */
export async function runKilled({ disturb, next, ...turn }: Disturbed, kills: readonly Moment[]) {
  const log: Asked[] = [];
  let disturbed = 0;
  let running: { readonly child: ChildProcess; readonly moment: Moment | undefined; isDoomed: boolean } | undefined;

  function reply(request: ServerRequest): ServerReply {
    const asked = readRequest(request);
    log.push(asked);
    const [number, kill] = running?.moment ?? [];
    // What a process is told after its last request depends on when the kill arrives.
    if (running?.isDoomed) return { hang: true };
    if (running) running.isDoomed = number === log.length;
    const isLast = running?.isDoomed ?? false;
    if (isLast && kill === "held") running?.child.kill("SIGKILL");
    if (isLast && kill === "held") return { hang: true };
    if (isLast && kill === "closed") void request.closed.then(() => running?.child.kill("SIGKILL"));
    const disturbing = disturb(asked, disturbed);
    if (disturbing !== undefined) disturbed += 1;
    const wanted = disturbing ?? goodReply(asked, request);
    if (isLast && kill === "half" && typeof wanted === "object") return { ...wanted, stallAfterPieces: 2 };
    asked.isWhole = disturbing === undefined;
    return wanted;
  }

  const folder = await mkdtemp(join(tmpdir(), "glassloop-calls-"));
  const [database, file] = [`sqlite:${join(folder, "threads.db")}`, join(folder, "bills")];
  await using server = await startOpenAIServer(reply, { applyStop: false });

  /** Runs a process until it ends, or kills it at the given moment. */
  async function run(job: { messages?: string | undefined; cancelAt?: string | undefined }, moment?: Moment) {
    const given = JSON.stringify({ database, file, baseURL: server.url, ...turn, ...job });
    const child = spawn(process.execPath, [program, given], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    const current = { child, moment, isDoomed: false };
    running = current;
    child.on("message", (event) => {
      const { type } = z.looseObject({ type: z.string() }).parse(event);
      const kill = moment?.[1] === "half" ? /-delta$/.test(type) : type === moment?.[1];
      if (kill && current.isDoomed) child.kill("SIGKILL");
    });
    const [stderr, [, signal]] = await Promise.all([text(child.stderr ?? Readable.from([])), once(child, "close")]);
    return { stderr, signal };
  }

  try {
    const ends = [];
    for (const [n, moment] of [...kills, undefined].entries()) {
      const cancelAt = n === 0 && kills.length > 0 ? turn.cancelAt : undefined;
      ends.push(await run({ messages: [question, next][n], cancelAt }, moment));
    }
    await using threads = await openThreads(database);
    const reader = createAgent({ model: scriptedModel([]), checkpointer: threads.checkpointer });
    const { values: state, next: nodes } = await reader.getState({ configurable: { thread_id: "t" } });
    const bills = (await readFile(file, "utf8")).trimEnd().split("\n");
    return { ends, log, bills, state, nodes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function readRequest({ body }: ServerRequest): Asked {
  const prompt = JSON.stringify(body.messages);
  const question = prompt.includes("And then?") ? "second" : "first";
  const step = prompt.split(/Bill \d is paid/).length;
  return { model: body.model, question, step, prompt, isWhole: false };
}

/** Returns what a request asks for: a call that pays the next bill, or an answer. A model without tools writes it. */
function goodReply({ question, step }: Asked, { body }: ServerRequest): ServerReply {
  const args = { bill: step };
  const answer = question === "second" ? "Then we rest." : "All is paid: one two three four five.";
  if (question === "second" || step > 3)
    return { text: body.tools ? answer : ` I know.\nFinal Answer: ${answer}`, usage };
  if (body.tools) return { text: "I pay the next bill.", toolCalls: [{ name: "pay", args }], usage };
  return { text: ` I pay the next bill.\nAction: pay\nAction Input: ${JSON.stringify(args)}`, usage };
}
