/** The version of the tables. */
export const layoutVersion = "1";

/** The statements that make the tables. The primary keys of passages are never used again. */
export const layout = [
  "create table glassloop_document_settings (name text primary key, value text not null)",
  `insert into glassloop_document_settings (name, value) values ('version', '${layoutVersion}')`,
  `create table glassloop_folders (
    id integer generated always as identity primary key, path text collate "C" not null unique
  )`,
  `create table glassloop_documents (
    id bigint generated always as identity primary key, folder integer not null references glassloop_folders,
    path text collate "C" not null, modified double precision not null, size bigint not null, title text not null,
    skipped text, unique (folder, path)
  )`,
  "create index glassloop_skipped_documents on glassloop_documents (folder, path) where skipped is not null",
  `create table glassloop_fields (
    document bigint not null references glassloop_documents on delete cascade, name text not null, value text not null
  )`,
  "create index glassloop_fields_of_document on glassloop_fields (document)",
  `create table glassloop_passages (
    id bigint generated always as identity primary key, folder integer not null,
    document bigint not null references glassloop_documents on delete cascade, section integer not null, vector bigint,
    headings text not null, text text not null, words tsvector not null
  )`,
  "create index glassloop_passages_of_document on glassloop_passages (document)",
  "create index glassloop_passages_without_vector on glassloop_passages (folder, id) where vector is null",
  "create index glassloop_passage_words on glassloop_passages using gin (words)",
];

/** The statements that make the table of vectors, which are of any length. */
export const vectorLayout = [
  "create extension if not exists vector",
  `create table glassloop_vectors (
    id bigint generated always as identity primary key, key text not null unique, vector vector not null
  )`,
];
