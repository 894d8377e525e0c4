import { databaseKinds } from "../threads/each-database.js";
import { describeServerOn } from "./conformance/run-checks.js";

for (const kind of databaseKinds) if (kind.name === "SQLite") describeServerOn(kind);
