import { describe, expect, test } from "vitest";
import { NewerDatabaseError } from "../../../src/base/errors.js";
import { statusOf } from "../../../src/server/wire/error-response.js";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { checkpointerOf } from "../../threads/open-kind.js";
import { openAsNewer, wider } from "../../threads/versions.js";
import { engineOn, eventsOf, Gate, order, startEngine, steps } from "./open-engine.js";

describe.each(matrix(lastingDatabases, sqlite))("an old engine on $name", (kind) => {
  test("whose database is migrated leaves its runs to an engine of the newer version", async () => {
    const gate = new Gate();
    const { url, engine: old } = await engineOn(kind, { steps: steps(gate.pass) });
    const run = await old.enqueue(order());
    await gate.reached(0);
    const threads = await openAsNewer(url, wider);
    const newer = await startEngine(threads, { steps: steps() });
    gate.open();
    await eventsOf(newer, run.id);
    expect(await newer.get(run.id)).toMatchObject({ status: "success", attempt: 2 });
    const recoded = { sql: "update glassloop_run_events set body = 'recoded:' || body", parameters: [] };
    await checkpointerOf(threads).database.batch([recoded]);
    const error = await eventsOf(old, run.id).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(NewerDatabaseError);
    expect(statusOf(error)).toBe(503);
  });
});
