import type { Io } from "../../io.js";
import { type End, programCommand } from "../../program/program-command.js";
import { indexCommand } from "./index-documents.js";
import { searchCommand } from "./search-documents.js";

/** Makes the command `glassloop docs`, with a command for each action. */
export function docsCommand(io: Io, end: End) {
  return programCommand("docs", io)
    .description("Index a folder of documents, and look at what is found in it.")
    .addCommand(indexCommand(io, end))
    .addCommand(searchCommand(io, end));
}
