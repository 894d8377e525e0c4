import { serveSqlite } from "./sqlite-thread.js";

serveSqlite();
