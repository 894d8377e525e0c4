import { serveSqlite } from "./serve-sqlite.js";

serveSqlite();
