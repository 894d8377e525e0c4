import { createInterface } from "node:readline";
import type { Io } from "../io.js";

interface Asking {
  /** The earlier lines for the arrow keys, the newest first. Lines that are entered join them. */
  readonly history?: string[];
  /** What stands in the line at first. */
  readonly draft?: string;
  /** Ends the asking, as if the person had left. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the person at the terminal. A pasted text is one entry with all its lines. A line that ends with `\` goes on in the next
 * one. Between two calls the terminal is in its usual mode, so that Ctrl-C is a signal.
 *
 * @returns The entry; undefined if the person leaves, with Ctrl-D or with Ctrl-C in an empty line.
 */
export async function ask(
  prompt: string,
  { stdin, stdout, stderr, env }: Pick<Io, "stdin" | "stdout" | "stderr" | "env">,
  { history = [], draft = "", signal }: Asking = {},
): Promise<string | undefined> {
  const output = stdout.isTTY ? stdout : stderr;
  const reader = createInterface({ input: stdin, output, terminal: true, prompt, history: [...history], signal });
  const lines: string[] = [];
  let isPasting = false;
  const watchPaste = (_: unknown, { name }: { readonly name?: string | undefined }) => {
    if (name === "paste-start" || name === "paste-end") isPasting = name === "paste-start";
  };
  const show = (text: string) => {
    reader.setPrompt(text);
    reader.prompt();
  };
  reader.on("history", (entries) => history.splice(0, history.length, ...entries));
  const markPastes = (marks: boolean) => {
    if (env.TERM !== "dumb") output.write(`\u001b[?2004${marks ? "h" : "l"}`);
  };
  // Ctrl-Z pauses readline. `fg` sends this signal. The shell may have turned the marks off, and the prompt is shown again.
  reader.on("SIGCONT", () => {
    markPastes(true);
    reader.prompt(true);
  });
  stdin.on("keypress", watchPaste);
  markPastes(true);
  show(prompt);
  reader.write(draft);
  const entry = await new Promise<string | undefined>((resolve) => {
    reader.on("line", (line) => {
      const goesOn = isPasting || line.endsWith("\\");
      lines.push(goesOn && !isPasting ? line.slice(0, -1) : line);
      if (goesOn) show("… ");
      // A terminal without marks around a paste sends all of its lines at once.
      else setImmediate(() => resolve(lines.join("\n")));
    });
    reader.on("SIGINT", () => {
      if (reader.line === "" && lines.length === 0) return resolve(undefined);
      lines.length = 0;
      reader.write(null, { ctrl: true, name: "e" });
      reader.write(null, { ctrl: true, name: "u" });
      output.write("\n");
      show(prompt);
    });
    reader.once("close", () => setImmediate(() => resolve(undefined)));
  });
  reader.close();
  stdin.off("keypress", watchPaste);
  markPastes(false);
  if (entry === undefined) output.write("\n");
  return entry;
}
