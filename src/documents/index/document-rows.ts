import type { SqliteStatement } from "../../sqlite/sqlite-server.js";
import type { DocumentFile } from "../folder/document-files.js";
import type { Field } from "../folder/front-matter.js";
import { searchableText } from "./indexed-words.js";
import { cutDocument } from "./passage-cutter.js";
import { spellingRows } from "./spellings.js";

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

const mostPassages = 10_000;

/** Makes the statements that put documents in the places of older ones of the same paths. */
export function documentRows(documents: readonly NewDocument[]): readonly SqliteStatement[] {
  const rows = documents.flatMap(rowsOf);
  const texts = rows.filter(({ sql }) => sql === insertWords).flatMap(({ parameters }) => parameters.map(String));
  return [...rows, spellingRows(texts)];
}

/** Makes the statements that remove a document. */
export function forgetDocument(folder: number, path: string): readonly SqliteStatement[] {
  return [
    `delete from passage_words where rowid in (select id from passages where document = ${document})`,
    `delete from vector_signs where folder = ?1 and document = ${document}`,
    `delete from passages where document = ${document}`,
    `delete from fields where document = ${document}`,
    "delete from documents where folder = ?1 and path = ?2",
  ].map((sql) => ({ sql, parameters: [folder, path] }));
}

function rowsOf(document: NewDocument): SqliteStatement[] {
  const { folder, file, text, isMarkdown, title, fields = [], skipped } = document;
  const passages = text === undefined ? [] : cutDocument(text, isMarkdown);
  const heading = passages.find(({ headings }) => headings.length > 0)?.headings[0];
  const name = title ?? heading ?? file.path.slice(file.path.lastIndexOf("/") + 1);
  const missing = passages.length > mostPassages ? "after its first 10,000 passages" : (skipped ?? null);
  const names = searchableText(`${name}\n${file.path.replace(/\.\w+$/, "")}`);
  let section = 0;
  return [
    ...forgetDocument(folder, file.path),
    { sql: insertDocument, parameters: [folder, file.path, file.modified, file.size, name, missing] },
    ...fields.map(({ name, value }) => ({ sql: insertField, parameters: [folder, file.path, name, value] })),
    ...passages.slice(0, mostPassages).flatMap(({ headings, text }, index) => {
      // All passages of a section have the same list of headings.
      if (headings !== passages[index - 1]?.headings) section++;
      return [
        { sql: insertPassage, parameters: [folder, file.path, section, JSON.stringify(headings), text] },
        { sql: insertWords, parameters: [names, searchableText(headings.join("\n")), searchableText(text)] },
      ];
    }),
  ];
}

const document = "(select id from documents where folder = ?1 and path = ?2)";
const insertDocument =
  "insert into documents (folder, path, modified, size, title, skipped) values (?1, ?2, ?3, ?4, ?5, ?6)";
const insertField = `insert into fields (document, name, value) values (${document}, ?3, ?4)`;
const insertPassage = `insert into passages (folder, document, section, headings, text)
  values (?1, ${document}, ?3, ?4, ?5)`;
/** The words of the title and of the path stand with each passage of a document. */
const insertWords = "insert into passage_words (rowid, names, headings, text) values (last_insert_rowid(), ?1, ?2, ?3)";
