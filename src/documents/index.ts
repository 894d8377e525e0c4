export { type DocumentsOptions, documents } from "./documents.js";
export type { OtherEntries } from "./folder/document-files.js";
export type { DocumentFilter } from "./index/document-filter.js";
export type { SkippedFile } from "./index/document-index.js";
export type { IndexProgress } from "./index-progress.js";
export type { NotSearched } from "./not-searched.js";
export type { SearchWait } from "./refresh/followed-folder.js";
export type { DocumentRetriever, IndexReport, PassageMetadata, SearchResult } from "./retriever.js";
