import { z } from "zod";

/** A text that Postgres can compare: it takes no character NUL. */
export const plainText = z.string().refine((text) => !text.includes("\0"), "leave out the character NUL.");
