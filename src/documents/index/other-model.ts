import { DocumentSearchError } from "../../base/errors.js";

/** Makes the error of a search whose model is not the one that made the vectors of the index. */
export function otherModel(wanted: string, found = "no model"): DocumentSearchError {
  return new DocumentSearchError(
    wanted,
    `the vectors of the index were made by ${found} meanwhile, not by ${wanted}. Give each model an index of its own.`,
  );
}
