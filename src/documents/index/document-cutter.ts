import type { DocumentFile } from "../folder/document-files.js";
import type { Field } from "../folder/front-matter.js";
import type { Passage, PassageCutter } from "./passage-cutter.js";

/** A document for the index. */
export interface NewDocument {
  /** The id of its folder in the index. */
  readonly folder: number;
  readonly file: DocumentFile;
  /** Left out for a document that cannot be searched. */
  readonly text?: string;
  readonly isMarkdown: boolean;
  /** The title; its first heading or the name of its file by default. */
  readonly title?: string | undefined;
  /** The fields of its front matter, for filters. */
  readonly fields?: readonly Field[];
  /** The reason why the document cannot be searched. */
  readonly skipped?: string;
}

/** A document as the index keeps it. */
export interface CutDocument {
  readonly folder: number;
  readonly file: DocumentFile;
  readonly title: string;
  readonly fields: readonly Field[];
  /** What of it is not in the index, and why. */
  readonly skipped: string | null;
  readonly passages: readonly CutPassage[];
}

/** A passage with the number of its section in the document. */
export interface CutPassage extends Passage {
  readonly section: number;
}

/**
 * Cuts documents into what the index keeps of them.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class DocumentCutter {
  private readonly mostPassages = 10_000;

  constructor(private readonly cutter: PassageCutter) {}

  cut({ folder, file, text, isMarkdown, title, fields = [], skipped }: NewDocument): CutDocument {
    const passages = text === undefined ? [] : this.cutter.cut(text, isMarkdown);
    const heading = passages.find(({ headings }) => headings.length > 0)?.headings[0];
    let section = 0;
    return {
      folder,
      file,
      title: title ?? heading ?? file.path.slice(file.path.lastIndexOf("/") + 1),
      fields,
      skipped: passages.length > this.mostPassages ? "after its first 10,000 passages" : (skipped ?? null),
      passages: passages.slice(0, this.mostPassages).map(({ headings, text }, index) => {
        // All passages of a section have the same list of headings.
        if (headings !== passages[index - 1]?.headings) section++;
        return { headings, text, section };
      }),
    };
  }
}
