/** The application id in the header of a SQLite file that is an index: "GLSD". */
export const applicationId = 0x47_4c_53_44;
/** Raise it with every change of the tables. An index of another version is refused: it can be made again. */
export const layoutVersion = 2;

/** The statements that make the tables. Another process may do the same at the same time. */
export const layout = [
  "create table if not exists settings (name text primary key, value text not null)",
  "create table if not exists folders (id integer primary key, path text not null unique)",
  `create table if not exists documents (
    id integer primary key autoincrement, folder integer not null, path text not null, modified real not null,
    size integer not null, title text not null, skipped text, unique (folder, path)
  )`,
  "create index if not exists skipped_documents on documents (folder, path) where skipped is not null",
  "create table if not exists fields (document integer not null, name text not null, value text not null)",
  "create index if not exists fields_of_document on fields (document, name, value)",
  // Ids are never used again: a vector may be on its way for a passage that was removed.
  `create table if not exists passages (
    id integer primary key autoincrement, folder integer not null, document integer not null, section integer not null,
    vector integer, headings text not null, text text not null
  )`,
  "create index if not exists passages_of_document on passages (document)",
  "create index if not exists passages_without_vector on passages (folder, id) where vector is null",
  `create virtual table if not exists passage_words using fts5 (
    headings, text, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
  )`,
  "create table if not exists vectors (id integer primary key autoincrement, key text not null unique, vector blob not null)",
  // The signs of the vectors stand by themselves: all of them are looked at in each search.
  `create table if not exists vector_signs (
    folder integer not null, document integer not null, passage integer not null, signs blob not null,
    primary key (folder, document, passage)
  ) without rowid`,
  `pragma application_id = ${applicationId}`,
  `pragma user_version = ${layoutVersion}`,
];
