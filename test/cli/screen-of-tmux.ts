import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { expect } from "vitest";
import { built } from "./run-cli.js";

const run = promisify(execFile);

/** True if this machine has tmux, a terminal for programs. */
export const hasTmux = (() => {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

export interface TmuxOptions {
  /** The folder to run in, which is the home, too. */
  readonly folder: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A real terminal: keys are typed, and the screen is read. */
export interface TmuxTerminal extends AsyncDisposable {
  /** Types keys by their names in tmux, such as `Enter`, `C-c`, `Up`. */
  keys(...names: readonly string[]): Promise<void>;
  /** Types a text as it is. */
  type(text: string): Promise<void>;
  /** Pastes a text as the terminal does, with the marks of a paste if the program asked for them. */
  paste(text: string): Promise<void>;
  resize(columns: number): Promise<void>;
  /** The lines on the screen, and above it. */
  screen(): Promise<string>;
  /** Waits until the screen matches. */
  sees(pattern: RegExp): Promise<void>;
  /** The cursor's flag: "1" if it is shown. */
  cursor(): Promise<string>;
  /** The program that gets the keys: "bash" or another one. */
  program(): Promise<string>;
}

/** Starts `glassloop` from a shell in a terminal of its own. The shell says how it ended: `exit 0`. */
export async function inTmux(
  args: readonly string[],
  { folder, columns = 80, env = {} }: TmuxOptions,
): Promise<TmuxTerminal> {
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
  const terminal: TmuxTerminal = {
    keys: async (...names) => void (await tmux("send-keys", "-t", "main", ...names)),
    type: async (text) => void (await tmux("send-keys", "-t", "main", "-l", "--", text)),
    async paste(text) {
      await tmux("set-buffer", "--", text);
      await tmux("paste-buffer", "-p", "-t", "main");
    },
    resize: async (width) => void (await tmux("resize-window", "-t", "main", "-x", String(width), "-y", "40")),
    screen: () => tmux("capture-pane", "-p", "-J", "-S", "-500", "-t", "main"),
    sees: (pattern) => expect.poll(() => terminal.screen(), { timeout: 20_000, interval: 50 }).toMatch(pattern),
    cursor: () => show("#{cursor_flag}"),
    program: () => show("#{pane_current_command}"),
    [Symbol.asyncDispose]: async () => void (await tmux("kill-server").catch(() => {})),
  };
  await terminal.type(`${words}; echo "exit $?"`);
  await terminal.keys("Enter");
  return terminal;
}
