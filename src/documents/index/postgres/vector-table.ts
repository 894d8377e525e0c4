import { z } from "zod";
import type { NewVector, PendingPassage, VectorLink, VectorTable } from "../document-index.js";
import { headingsCell } from "../headings-cell.js";
import type { IndexDatabase } from "./index-database.js";

const modelRow = z.object({ value: z.string() });
const keyRow = z.object({ key: z.string() });
const countRow = z.object({ count: z.number() });
const pendingRow = z.object({ id: z.number(), title: z.string(), headings: headingsCell, text: z.string() });

/** The query for the model that made the vectors of an index. */
export const modelQuery = "select value from glassloop_document_settings where name = 'model'";

/** Reads the rows of {@link modelQuery}. Returns undefined for an index without vectors. */
export function readModel(rows: readonly unknown[]): string | undefined {
  return z.array(modelRow).parse(rows)[0]?.value;
}

/** Writes a vector as pgvector reads it. */
export function vectorText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return JSON.stringify([...new Float32Array(buffer, byteOffset, byteLength / 4)]);
}

/** The vectors of an index in a Postgres database. */
export class PostgresVectorTable implements VectorTable {
  constructor(private readonly database: IndexDatabase) {}

  async model(): Promise<string | undefined> {
    return readModel(await this.database.read(modelQuery));
  }

  async startAnew(model: string): Promise<void> {
    // Another machine may have started anew with the same model meanwhile. Its vectors stay.
    const isOther = `$1 is distinct from (${modelQuery})`;
    await this.database.write(
      { sql: `delete from glassloop_vectors where ${isOther}`, parameters: [model] },
      {
        sql: `update glassloop_passages set vector = null where vector is not null and ${isOther}`,
        parameters: [model],
      },
      {
        sql: `insert into glassloop_document_settings (name, value) values ('model', $1)
          on conflict (name) do update set value = excluded.value`,
        parameters: [model],
      },
    );
  }

  async pending(folder: number, limit: number): Promise<readonly PendingPassage[]> {
    const sql = `select passages.id, title, headings, text
      from glassloop_passages passages join glassloop_documents documents on documents.id = document
      where passages.folder = $1 and vector is null order by passages.id limit $2`;
    return z.array(pendingRow).parse(await this.database.read(sql, folder, limit));
  }

  async countPending(folder: number): Promise<number> {
    const sql = "select count(*) as count from glassloop_passages where folder = $1 and vector is null";
    const [found] = z.array(countRow).parse(await this.database.read(sql, folder));
    return found?.count ?? 0;
  }

  async known(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const sql = "select key from glassloop_vectors where key in (select json_array_elements_text($1))";
    const found = z.array(keyRow).parse(await this.database.read(sql, JSON.stringify(keys)));
    return new Set(found.map(({ key }) => key));
  }

  async store(model: string, vectors: readonly NewVector[], links: readonly VectorLink[]): Promise<void> {
    const rows = vectors.map(({ key, vector }) => ({ key, vector: vectorText(vector) }));
    await this.database.write(
      {
        sql: `insert into glassloop_vectors (key, vector)
          select key, vector::vector from json_to_recordset($2) as made (key text, vector text)
          where (${modelQuery}) = $1 on conflict (key) do nothing`,
        parameters: [model, JSON.stringify(rows)],
      },
      {
        sql: `update glassloop_passages passages set vector = vectors.id
          from json_to_recordset($1) as link (passage bigint, key text) join glassloop_vectors vectors using (key)
          where passages.id = link.passage`,
        parameters: [JSON.stringify(links)],
      },
    );
  }

  async dropUnused(): Promise<void> {
    const sql = `delete from glassloop_vectors vectors
      where not exists (select 1 from glassloop_passages passages where passages.vector = vectors.id)`;
    await this.database.write({ sql, parameters: [] });
  }
}
