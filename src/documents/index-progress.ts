/** How long the work on an index may go on, and who hears how far it is. */
export interface IndexWork {
  /** Tells whether there is time for reading and embedding more. */
  readonly hasTime: () => boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** How far the work on an index is. */
export type IndexProgress =
  /** Files are read. `total` counts those that are new or changed. */
  | { readonly step: "reading"; readonly done: number; readonly total: number }
  /** Passages get their vectors. `total` counts those that had none. */
  | { readonly step: "embedding"; readonly done: number; readonly total: number }
  /** The vectors of another model were dropped, and all are made again. `before` names that model. */
  | { readonly step: "other-model"; readonly before: string };
