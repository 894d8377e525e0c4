import { z } from "zod";
import type { NewVector, PendingPassage, VectorLink, VectorTable } from "../document-index.js";
import { headingsCell } from "../headings-cell.js";
import type { IndexFile } from "./index-file.js";

const modelRow = z.object({ value: z.string() });
const keyRow = z.object({ key: z.string() });
const countRow = z.object({ count: z.number() });
const pendingRow = z.object({ id: z.number(), title: z.string(), headings: headingsCell, text: z.string() });

/** The query for the model that made the vectors of an index. */
export const modelQuery = { sql: "select value from settings where name = 'model'", parameters: [] };

/** Reads the rows of {@link modelQuery}. Returns undefined for an index without vectors. */
export function readModel(rows: readonly unknown[]): string | undefined {
  return z.array(modelRow).parse(rows)[0]?.value;
}

/** The vectors of an index in a SQLite file. */
export class SqliteVectorTable implements VectorTable {
  constructor(private readonly file: IndexFile) {}

  async model(): Promise<string | undefined> {
    return readModel(await this.file.read(modelQuery.sql));
  }

  async startAnew(model: string): Promise<void> {
    await this.file.write([
      { sql: "delete from vector_signs", parameters: [] },
      { sql: "delete from vectors", parameters: [] },
      { sql: "update passages set vector = null where vector is not null", parameters: [] },
      { sql: "insert or replace into settings (name, value) values ('model', ?1)", parameters: [model] },
    ]);
  }

  async pending(folder: number, limit: number): Promise<readonly PendingPassage[]> {
    const sql = `select passages.id, title, headings, text from passages join documents on documents.id = document
      where passages.folder = ?1 and vector is null order by passages.id limit ?2`;
    return z.array(pendingRow).parse(await this.file.read(sql, folder, limit));
  }

  async countPending(folder: number): Promise<number> {
    const sql = "select count(*) as count from passages where folder = ?1 and vector is null";
    const [found] = z.array(countRow).parse(await this.file.read(sql, folder));
    return found?.count ?? 0;
  }

  async known(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const sql = "select key from vectors where key in (select value from json_each(?1))";
    const found = z.array(keyRow).parse(await this.file.read(sql, JSON.stringify(keys)));
    return new Set(found.map(({ key }) => key));
  }

  async store(model: string, vectors: readonly NewVector[], links: readonly VectorLink[]): Promise<void> {
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

  async dropUnused(): Promise<void> {
    const used = "select vector from passages where vector is not null";
    await this.file.write([{ sql: `delete from vectors where id not in (${used})`, parameters: [] }]);
  }
}
