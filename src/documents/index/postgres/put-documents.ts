import type { PostgresStatement } from "../../../postgres/postgres-batch.js";
import type { DocumentLists } from "./document-lists.js";

/**
 * Writes the statement that puts documents in the places of older ones. A document that another machine has put there by
 * now stays as it is. The passages of a document get ids in their order.
 */
export function putDocuments(folder: number, { documents, fields, passages }: DocumentLists): PostgresStatement {
  return { sql, parameters: [folder, documents, fields, passages] };
}

const sql = `
with put as (
  insert into glassloop_documents as old (folder, path, modified, size, title, skipped)
  select $1, path, modified, size, title, skipped from json_to_recordset($2)
    as given (path text, modified double precision, size bigint, title text, skipped text)
  on conflict (folder, path) do update
    set modified = excluded.modified, size = excluded.size, title = excluded.title, skipped = excluded.skipped
    where (old.modified, old.size, old.skipped) is distinct from (excluded.modified, excluded.size, excluded.skipped)
  returning id, path
), old_passages as (
  delete from glassloop_passages where document in (select id from put)
), old_fields as (
  delete from glassloop_fields where document in (select id from put)
), new_fields as (
  insert into glassloop_fields (document, name, value)
  select put.id, name, value from json_to_recordset($3) as given (path text, name text, value text) join put using (path)
)
insert into glassloop_passages (folder, document, section, headings, text, words)
select $1, put.id, section, headings, text,
  setweight(to_tsvector('english', heading_words), 'A') || setweight(to_tsvector('english', text_words), 'D')
from json_to_recordset($4) as given
  (path text, position integer, section integer, headings text, text text, heading_words text, text_words text)
join put using (path) order by put.id, given.position`;
