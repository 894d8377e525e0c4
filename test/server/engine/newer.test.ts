import { describe, expect, test } from "vitest";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { openAsNewer, wider } from "../../threads/versions.js";
import { engineOn, eventsOf, Gate, order, startEngine, steps } from "./open-engine.js";

describe.each(matrix(lastingDatabases, sqlite))("an old engine on $name", (kind) => {
  test("whose database is migrated leaves its runs to an engine of the newer version", async () => {
    const gate = new Gate();
    const { url, engine: old } = await engineOn(kind, { steps: steps(gate.pass) });
    const run = await old.enqueue(order());
    await gate.reached(0);
    const newer = await startEngine(await openAsNewer(url, wider), { steps: steps() });
    gate.open();
    await eventsOf(newer, run.id);
    expect(await newer.get(run.id)).toMatchObject({ status: "success", attempt: 2 });
  });
});
