import { databases } from "../matrix/databases.js";
import { describeServerOn } from "./conformance/run-checks.js";

for (const kind of databases) if (kind.name === "SQLite") describeServerOn(kind);
