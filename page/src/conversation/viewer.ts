import { createContext, useContext } from "react";
import type { About, Right } from "../wire.js";

/** Who reads the page: their name beside decisions, and what they may do. What they may not do is not offered. */
export interface Viewer {
  readonly name?: string | undefined;
  readonly may: readonly Right[];
}

const anybody: Viewer = { may: ["read", "ask", "decide", "write"] };

export const ViewerContext = createContext(anybody);

export function useViewer(): Viewer {
  return useContext(ViewerContext);
}

/** Reads who the server says that it is. */
export function viewerOf(about: About | undefined): Viewer {
  return about === undefined ? anybody : { name: about.caller.by ?? about.caller.owner, may: about.caller.may };
}
