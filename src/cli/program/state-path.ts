import { isAbsolute, join } from "node:path";
import type { Io } from "../io.js";

/** Returns the path of a file that Glassloop keeps for a person; undefined without a home. */
export function statePath(name: string, { XDG_STATE_HOME, HOME, LOCALAPPDATA }: Io["env"]): string | undefined {
  const folders = [XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")];
  // A path that is not absolute could lead into a folder from somebody else.
  const folder = folders.find((path) => path && isAbsolute(path));
  return folder ? join(folder, "glassloop", name) : undefined;
}
