// The sections, one file each. A section is a function that takes a generator, a report and the number of items.
import { forgedObservations } from "./forged-observations.mjs";

export const sections = {
  observations: forgedObservations,
};
