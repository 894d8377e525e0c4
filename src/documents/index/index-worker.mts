import { serveSqlite } from "../../sqlite/serve-sqlite.js";
import { DocumentRows } from "./document-rows.js";
import { IndexedWords } from "./indexed-words.js";
import { PassageCutter } from "./passage-cutter.js";

serveSqlite(new DocumentRows(new PassageCutter(), new IndexedWords()));
