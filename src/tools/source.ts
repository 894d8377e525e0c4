/** The place of something that a tool found. People can follow it, and answers can cite it. */
export interface Source {
  readonly title: string;
  /** An address on the web, or a path below the folder of documents. */
  readonly address: string;
}

/** The artifact of a tool message of `web_search` and `document_search`. */
export interface SourcesArtifact {
  readonly sources: readonly Source[];
}
