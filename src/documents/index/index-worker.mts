import { serveSqlite } from "../../sqlite/sqlite-thread.js";
import { documentRows } from "./document-rows.js";

serveSqlite({ statements: documentRows });
