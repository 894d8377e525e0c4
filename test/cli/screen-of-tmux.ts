import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { expect, vi } from "vitest";
import { needs } from "../helpers/needs.js";
import { built } from "./run-cli.js";

const run = promisify(execFile);

/** True if this machine has tmux, a terminal for programs. */
export const hasTmux = needs(
  spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0,
  "Terminals are not tried: there is no tmux.",
);

export interface TmuxOptions {
  /** The folder to run in, which is the home, too. */
  readonly folder: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `glassloop` from a shell in a terminal of its own. The shell says how it ended: `exit 0`. */
export async function inTmux(args: readonly string[], { folder, columns = 80, env = {} }: TmuxOptions) {
  const socket = `glassloop-${randomUUID()}`;
  const tmux = async (...words: string[]) => (await run("tmux", ["-L", socket, "-f", "/dev/null", ...words])).stdout;
  const show = async (format: string) => (await tmux("display-message", "-p", "-t", "main", format)).trim();
  const { PATH = "" } = process.env;
  const variables = { PATH, HOME: folder, TERM: "screen-256color", LANG: "C.UTF-8", PS1: "$ ", HISTFILE: "", ...env };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const words = [process.execPath, built("bin.js"), ...args].map((word) => `'${word}'`).join(" ");
  const size = ["-x", String(columns), "-y", "40"];
  const shell = ["env", "-i", ...settings, "bash", "--norc", "--noprofile"];
  await tmux("-u", "new-session", "-d", "-s", "main", "-c", folder, ...size, ...shell);
  const keys = async (...names: readonly string[]) => void (await tmux("send-keys", "-t", "main", ...names));
  const type = async (text: string) => void (await tmux("send-keys", "-t", "main", "-l", "--", text));
  const screen = () => tmux("capture-pane", "-p", "-J", "-S", "-500", "-t", "main");
  const sees = (pattern: RegExp) =>
    vi.waitFor(async () => expect(await screen()).toMatch(pattern), { interval: 50, timeout: 100_000 });
  const terminal = {
    /** Types keys by their names in tmux, such as `Enter`, `C-c`, `Up`. */
    keys,
    /** Types a text as it is. */
    type,
    /** Waits until the lines on the screen, and above it, match. */
    sees,
    /** Types a line and Enter, and waits until the screen matches each pattern. */
    async enter(line: string, ...patterns: readonly RegExp[]): Promise<void> {
      await type(line);
      await keys("Enter");
      for (const pattern of patterns) await sees(pattern);
    },
    /** Pastes a text as the terminal does, with the marks of a paste if the program asked for them. */
    async paste(text: string): Promise<void> {
      await tmux("set-buffer", "--", text);
      await tmux("paste-buffer", "-p", "-t", "main");
    },
    resize: (width: number) => tmux("resize-window", "-t", "main", "-x", String(width), "-y", "40"),
    /** The cursor's flag: "1" if it is shown. */
    cursor: () => show("#{cursor_flag}"),
    /** The program that gets the keys: "bash" or another one. */
    program: () => show("#{pane_current_command}"),
    [Symbol.asyncDispose]: async () => void (await tmux("kill-server").catch(() => {})),
  };
  await terminal.enter(`${words}; echo "exit $?"`);
  return terminal;
}
