import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../test/helpers/free-port.js";
import { type OpenAIServer, startOpenAIServer } from "../../../test/helpers/openai-server.js";
import { replyTo } from "./replies.js";

interface DemoOptions {
  /** The module with the agents, in this folder. Default: `agents.mjs`. */
  readonly agents?: string;
  /** The time of a word of the model, in milliseconds. Default: 40, as fast as one reads. */
  readonly pace?: number;
  /** More options of `glassloop serve`. */
  readonly options?: readonly string[];
  /** More variables of its environment, such as GLASSLOOP_SERVER_KEY. */
  readonly env?: Readonly<Record<string, string>>;
  /** Takes what the server writes to stderr. */
  readonly onOutput?: (text: string) => void;
}

/** A server with agents whose model has a script. */
export interface Demo extends AsyncDisposable {
  /** The address of the page, such as `http://127.0.0.1:4711/`. It stays after a restart. */
  readonly url: string;
  readonly model: OpenAIServer;
  /** The database, as `--db` takes it. */
  readonly db: string;
  /** Kills the server with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
  /** Starts the server again, on the same port and database. */
  restart(): Promise<void>;
}

const folder = fileURLToPath(new URL(".", import.meta.url));
const program = fileURLToPath(new URL("../../../dist/bundle/cli/bin.js", import.meta.url));

/** Starts `glassloop serve` as a process, and the model that its agents ask. `npm run build` makes what it runs. */
export async function startDemo({
  agents = "agents.mjs",
  pace = 40,
  options = [],
  env = {},
  onOutput,
}: DemoOptions = {}): Promise<Demo> {
  const model = await startOpenAIServer(({ body }) => replyTo(body, pace));
  const data = await mkdtemp(join(tmpdir(), "glassloop-demo-"));
  const port = await freePort();
  const db = `sqlite:${join(data, "threads.db")}`;

  async function start(): Promise<ChildProcess> {
    const { PATH = "", HOME = "" } = process.env;
    const names = { OPENAI_API_KEY: "demo", OPENAI_BASE_URL: model.url, DEMO_PACE: String(pace) };
    const started = spawn(
      process.execPath,
      [program, "serve", join(folder, agents), "--port", String(port), "--db", db, ...options],
      { cwd: data, env: { PATH, HOME, ...names, ...env }, stdio: ["ignore", "ignore", "pipe"] },
    );
    await ready(started, onOutput);
    return started;
  }

  let server = await start();

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    model,
    db,
    kill,
    async restart() {
      await kill();
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await model.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Waits until a server says that it serves. */
function ready(server: ChildProcess, onOutput: (text: string) => void = () => {}): Promise<void> {
  return new Promise((resolve, reject) => {
    let written = "";
    server.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      written += piece;
      onOutput(piece);
      if (written.includes("Ctrl-C ends")) resolve();
    });
    server.once("exit", () => reject(new Error(`The server did not start: ${written}`)));
  });
}
