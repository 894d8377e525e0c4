import { z } from "zod";

/** A checkpoint, as clients name it. */
export const checkpointPlace = z.object({
  checkpoint_id: z.guid().nullish(),
  checkpoint_ns: z.string().nullish(),
  checkpoint_map: z.record(z.string(), z.unknown()).nullish(),
});
