import { z } from "zod";

/** The schema of the cell with the headings above a passage, the outermost first. */
export const headingsCell = z.string().transform((cell) => z.array(z.string()).parse(JSON.parse(cell)));
