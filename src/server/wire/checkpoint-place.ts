import { z } from "zod";
import { plainText } from "./plain-text.js";

/** A checkpoint, as clients name it. */
export const checkpointPlace = z.object({
  checkpoint_id: z.guid().nullish(),
  checkpoint_ns: plainText.nullish(),
  checkpoint_map: z.record(z.string(), z.unknown()).nullish(),
});
