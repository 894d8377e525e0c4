import { PassThrough, Readable, Writable } from "node:stream";
import type { Io } from "../../src/cli/io.js";
import { main } from "../../src/cli/main.js";

/** An output that keeps what is written to it. */
export class FakeOutput extends Writable {
  text = "";

  constructor(
    readonly isTTY = false,
    readonly columns = 80,
  ) {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  // What a spinner and readline do with the cursor does not matter here.
  cursorTo = () => true;
  moveCursor = () => true;
  clearLine = () => true;
}

/** A terminal's keyboard, which notes whether it is in raw mode. */
export class FakeKeyboard extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(raw: boolean): this {
    this.isRaw = raw;
    return this;
  }
}

export interface FakeIo extends Io {
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
}

/** Streams of a process whose stdout, or both outputs, may be terminals. */
export function fakeIo({
  stdin = new PassThrough(),
  terminal = false,
  env = {},
  fileInFolder = () => "",
}: {
  stdin?: Io["stdin"];
  terminal?: boolean | "stdout" | "stderr";
  env?: Io["env"];
  fileInFolder?: Io["fileInFolder"];
} = {}): FakeIo {
  const isTerminal = (stream: string) => terminal === true || terminal === stream;
  return {
    stdin,
    stdout: new FakeOutput(isTerminal("stdout")),
    stderr: new FakeOutput(isTerminal("stderr")),
    env,
    fileInFolder,
  };
}

/** Runs `glassloop` in this process: quicker than in one of its own. */
export async function runProgram(
  args: readonly string[],
  { input = "", ...options }: { input?: string } & Parameters<typeof fakeIo>[0] = {},
) {
  const io = fakeIo({ stdin: Readable.from([input]), ...options });
  const exitCode = await main(args, io);
  return { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
}

/** A working folder with these files, as a program reads it. */
export const folderWith = (files: Readonly<Record<string, string>>) => (name: string) => files[name] ?? "";
