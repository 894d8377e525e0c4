/** The names under which the tests run on our checkpointers. */
export const savers = { memory: "Glassloop, memory", sqlite: "Glassloop, SQLite" };
