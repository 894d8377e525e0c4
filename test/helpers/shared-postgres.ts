import { startPostgres } from "./postgres.js";

/** Before all tests: starts a throwaway Postgres server for them, unless TEST_POSTGRES_URL names one. Stops it after them. */
export default async function sharePostgres(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_POSTGRES_URL) return undefined;
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  return () => server.stop();
}
