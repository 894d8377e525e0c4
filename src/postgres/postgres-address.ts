import pg from "pg";
import { ThreadsDatabaseError } from "../base/errors.js";
import { keepSecretsOfAddress } from "../base/secrets/known-secrets.js";
import { PasswordAskedError } from "./postgres-error.js";

/** A database on a Postgres server. */
export interface PostgresAddress {
  /** The database as errors name it: without user and password. */
  readonly place: string;
  readonly config: pg.PoolConfig;
}

/**
 * Reads the address of a database.
 *
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the options that the `pg` package knows. With
 *   `require_auth=none` no password is sent, as in libpq, and so none of PGPASSWORD and ~/.pgpass.
 * @throws ThreadsDatabaseError for a text that is no address.
 */
export function postgresAddress(url: string): PostgresAddress {
  keepSecretsOfAddress(url);
  if (!URL.canParse(url)) throw new ThreadsDatabaseError("postgres:", noAddress);
  const { host, pathname, searchParams } = new URL(url);
  const password = searchParams.get("require_auth") === "none" ? refusePassword : undefined;
  const config = { connectionString: url, application_name: "glassloop", types, password };
  return { place: `postgres://${host}${pathname}`, config };
}

function refusePassword(): never {
  throw new PasswordAskedError();
}

const noAddress =
  "this is no address. Give postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password as in a URL: # as %23.";

/** Postgres sends sums and counts as text, because they may exceed JavaScript's exact numbers. Ours do not. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type, format) {
    if (type === pg.types.builtins.INT8 || type === pg.types.builtins.NUMERIC) return Number;
    return pg.types.getTypeParser(type, format);
  },
};
