// The sections, one file each. A section is a function that takes a generator, a report and the number of items.
import { addresses } from "./addresses.mjs";
import { calculations } from "./calculations.mjs";
import { decisions } from "./decisions.mjs";
import { endless } from "./endless.mjs";
import { fencedTexts } from "./fenced-texts.mjs";
import { forgedObservations } from "./forged-observations.mjs";
import { keys } from "./keys.mjs";
import { markdown } from "./markdown.mjs";
import { pages } from "./pages.mjs";
import { secrets } from "./secrets.mjs";
import { taint } from "./taint.mjs";

export const sections = {
  observations: forgedObservations,
  fence: fencedTexts,
  calculations,
  decisions,
  markdown,
  addresses,
  pages,
  secrets,
  keys,
  endless,
  taint,
};
