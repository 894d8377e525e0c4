import { expect, onTestFinished, test } from "vitest";
import { postgresAddress } from "../../../src/postgres/postgres-address.js";
import { PostgresPool, processTold } from "../../../src/postgres/postgres-pool.js";
import { usualLimits } from "../../../src/postgres/time-limits.js";
import { PostgresSession } from "../../../src/threads/databases/postgres-session.js";
import { sharedPostgres } from "../../helpers/postgres.js";

async function open(url: string) {
  const alone = new PostgresPool(postgresAddress(url), usualLimits, { max: 1, idleTimeoutMillis: 0 });
  onTestFinished(() => alone.close());
  return { alone, signals: new PostgresSession(alone) };
}

test("signals reach all hearers, come again after a broken connection, and end with the hearing", async () => {
  const { url, remove } = await sharedPostgres().createSchema();
  onTestFinished(remove);
  const { alone, signals } = await open(url);
  const heard = new Set<string>();
  const leave = signals.hear((signal) => heard.add(signal));
  const other = await open(url);
  const hears = (signal: string) => () => {
    other.signals.send(signal);
    return heard.has(signal);
  };
  // Before the first connection listens, a signal is lost.
  await expect.poll(hears("first")).toBe(true);

  const session = await alone.use(async (client) => processTold(client));
  await sharedPostgres().query(`select pg_terminate_backend(${session})`);
  await expect.poll(hears("second")).toBe(true);

  leave();
  const again = new Set<string>();
  other.signals.hear((signal) => again.add(signal));
  await expect.poll(() => hears("third")() || again.has("third")).toBe(true);
  expect(heard).toEqual(new Set(["first", "second"]));
});
