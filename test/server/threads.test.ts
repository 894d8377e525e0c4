import { expect, test } from "vitest";
import { databaseKinds } from "../threads/each-database.js";
import { checkpointerOf, openKind } from "../threads/open-kind.js";
import { makeThread, served } from "./access/served.js";
import { Gate, steps } from "./engine/open-engine.js";

const go = { assistant_id: "steps", input: { messages: [] }, multitask_strategy: "enqueue" };

test.each(databaseKinds.slice(0, 2))(
  "deleting a thread ends its runs, and leaves nothing of them, in $name",
  async (kind) => {
    const { threads } = await openKind(kind);
    const gate = new Gate();
    const { send } = await served({ agents: { steps: steps(gate.pass) }, threads });
    const thread = await makeThread(send);
    for (let run = 0; run < 3; run += 1) await send("POST", `/threads/${thread}/runs`, { body: go });
    await gate.reached(0);
    expect((await send("DELETE", `/threads/${thread}`)).status).toBe(204);
    expect((await send("GET", `/threads/${thread}`)).status).toBe(404);
    const { database } = checkpointerOf(threads);
    for (const table of ["runs", "checkpoints", "threads"]) {
      expect([table, await database.all(`select * from glassloop_${table}`)]).toEqual([table, []]);
    }
  },
);
