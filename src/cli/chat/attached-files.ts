import { stat } from "node:fs/promises";
import type { ContentBlock } from "../../core/state/content-block.js";
import { type Question, questionOf, readContent } from "../session/question-files.js";

/** The files that the next question of a chat has. A person enters the path of each as a line of its own. */
export class AttachedFiles {
  private blocks: readonly ContentBlock[] = [];

  /** @param home The folder that `~/` in a path stands for. */
  constructor(private readonly home = "~") {}

  /**
   * Takes a line that is the path of a picture, a recording or a PDF.
   *
   * @returns What all the attached files are; undefined for any other line.
   * @throws UsageError or InvalidInputError if the file cannot be read, or is too large. The file is then not attached.
   */
  async take(line: string): Promise<string | undefined> {
    const path = await filePath(line.trim().replace(/^~(?=\/)/, () => this.home));
    const content = path === undefined ? "" : await readContent(path);
    if (typeof content === "string") return undefined;
    const blocks = [...this.blocks, content];
    const { asked } = questionOf("", blocks);
    this.blocks = blocks;
    return asked;
  }

  /** Makes the question of a line. The files belong to no other one. */
  questionOf(line: string): Question {
    const question = questionOf(line, this.blocks);
    this.blocks = [];
    return question;
  }

  /** Lets go of the files. Returns false if there are none. */
  drop(): boolean {
    const hadSome = this.blocks.length > 0;
    this.blocks = [];
    return hadSome;
  }
}

/** Finds the path of a file in a line, as it stands there or in the quotes and escapes of a shell, as terminals paste it. */
async function filePath(line: string): Promise<string | undefined> {
  for (const path of [line, line.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, "$1$2$3")]) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile()) return path;
  }
  return undefined;
}
