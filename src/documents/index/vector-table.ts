import { z } from "zod";
import { DocumentSearchError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import type { IndexFile } from "./index-file.js";

/** The schema of the cell with the headings above a passage, the outermost first. */
export const headingsCell = z.string().transform((cell) => z.array(z.string()).parse(JSON.parse(cell)));
const modelRow = z.object({ value: z.string() });
const keyRow = z.object({ key: z.string() });
const pendingRow = z.object({ id: z.number(), title: z.string(), headings: headingsCell, text: z.string() });

/** A passage that has no vector yet. */
export type PendingPassage = Readonly<z.output<typeof pendingRow>>;

/** A claim that is not renewed for so long lapses. */
const CLAIM_MS = 5_000;
/** A claim is renewed so often. */
export const RENEWAL_MS = CLAIM_MS / 5;

/** The time is that of the statement, not of the call: a transaction may wait for others. */
const nowPlus = (ms: number) => `cast(unixepoch('subsec') * 1000 + ${ms} as integer)`;

/** The query for the model that made the vectors of an index. */
export const modelQuery = { sql: "select value from settings where name = 'model'", parameters: [] };

/** Reads the rows of {@link modelQuery}. Returns undefined for an index without vectors. */
export function readModel(rows: readonly unknown[]): string | undefined {
  return z.array(modelRow).parse(rows)[0]?.value;
}

/**
 * The vectors of passages. A vector belongs to a text and not to a place: a document that is renamed, or changed in one
 * passage, needs no other new vector.
 */
export class VectorTable {
  constructor(private readonly file: IndexFile) {}

  /** Tells which model made the vectors; undefined if there are none. */
  async model(): Promise<string | undefined> {
    return readModel(await this.file.read(modelQuery.sql));
  }

  /** Drops all vectors, and names the model that makes new ones. Does nothing if another process has done so meanwhile. */
  async startAnew(model: string): Promise<void> {
    const isOther = `(${modelQuery.sql}) is not ?1`;
    const statements = [
      `delete from vector_signs where ${isOther}`,
      `delete from vectors where ${isOther}`,
      `delete from unused_vectors where ${isOther}`,
      `update passages set vector = null where vector is not null and ${isOther}`,
      "insert or replace into settings (name, value) values ('model', ?1)",
    ];
    await this.file.write(statements.map((sql) => ({ sql, parameters: [model] })));
  }

  /**
   * Claims a work for a run, or keeps the claim that it has. A claim lapses after some seconds, so that a killed process is
   * not waited for.
   *
   * @returns Whether the run has the claim now.
   */
  async claim(work: string, run: string): Promise<boolean> {
    // A time that no run can have set is none: the clock was set back.
    const sql = `insert into settings (name, value) values (?1, ${nowPlus(CLAIM_MS)} || ' ' || ?2)
      on conflict do update set value = excluded.value
      where value like '%' || ?2 or cast(value as integer) not between ${nowPlus(0)} and ${nowPlus(CLAIM_MS)} returning name`;
    return (await this.file.write([{ sql, parameters: [work, run] }])).length > 0;
  }

  async release(work: string, run: string): Promise<void> {
    const sql = "delete from settings where name = ?1 and value like '%' || ?2";
    await this.file.write([{ sql, parameters: [work, run] }]);
  }

  /** Returns the first passages of a folder that have no vector yet. */
  async pending(folder: number, limit: number): Promise<readonly PendingPassage[]> {
    const sql = `select passages.id, title, headings, text from passages join documents on documents.id = document
      where passages.folder = ?1 and vector is null order by passages.id limit ?2`;
    return z.array(pendingRow).parse(await this.file.read(sql, folder, limit));
  }

  countPending(folder: number): Promise<number> {
    return this.file.count("passages where folder = ?1 and vector is null", folder);
  }

  /** Returns the keys that have a vector. */
  async known(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const sql = "select key from vectors where key in (select value from json_each(?1))";
    const found = z.array(keyRow).parse(await this.file.read(sql, JSON.stringify(keys)));
    return new Set(found.map(({ key }) => key));
  }

  /**
   * Keeps new vectors of a model, as the bytes of 32-bit numbers, and links passages to vectors. Passages that were removed
   * meanwhile are skipped. If the index now belongs to another embedding model, all vectors are skipped. A key tells a text.
   */
  async store(
    model: string,
    vectors: readonly { readonly key: string; readonly vector: Uint8Array }[],
    links: readonly { readonly passage: number; readonly key: string }[],
  ): Promise<void> {
    const isCurrent = "exists (select 1 from settings where name = 'model' and value = ?1)";
    await this.file.write([
      ...vectors.map(({ key, vector }) => ({
        sql: `insert or ignore into vectors (key, vector) select ?2, ?3 where ${isCurrent}`,
        parameters: [model, key, vector],
      })),
      ...links.flatMap(({ passage, key }) => [
        {
          sql: `insert or replace into vector_signs (folder, document, passage, signs)
            select folder, document, passages.id, vec_quantize_binary(vectors.vector) from passages, vectors
            where passages.id = ?1 and key = ?2`,
          parameters: [passage, key],
        },
        {
          sql: "update passages set vector = (select id from vectors where key = ?2) where id = ?1",
          parameters: [passage, key],
        },
      ]),
    ]);
  }

  /**
   * Drops the vectors that no passage has had for 30 days. Those of a folder that was away for a while, such as a drive, were
   * paid for, and serve again.
   */
  async dropUnused(now = Date.now()): Promise<void> {
    const used = "select vector from passages where vector is not null";
    const mark = `insert or ignore into unused_vectors (vector, since) select id, ?1 from vectors where id not in (${used})`;
    await this.file.write([
      { sql: `delete from unused_vectors where vector in (${used})`, parameters: [] },
      { sql: mark, parameters: [now] },
      {
        sql: `delete from vectors where id in (select vector from unused_vectors where since < ?1)`,
        parameters: [now - KEPT_MS],
      },
      { sql: `delete from unused_vectors where vector not in (select id from vectors)`, parameters: [] },
    ]);
  }
}

const KEPT_MS = 30 * 24 * 3_600_000;

interface SqliteVec {
  getLoadablePath(): string;
}

/** Returns the path of sqlite-vec, which has a package of its own for each platform. Tests give a `load` of their own. */
export async function vectorExtension(load = (): Promise<SqliteVec> => import("sqlite-vec")): Promise<string> {
  try {
    const { getLoadablePath } = await load();
    return getLoadablePath();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    const reason = `vectors need the package sqlite-vec and its package for ${platform}: ${messageOf(cause)}`;
    throw new DocumentSearchError("sqlite-vec", reason, { cause });
  }
}
