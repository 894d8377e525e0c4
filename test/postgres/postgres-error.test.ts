import { expect, test } from "vitest";
import { explainPostgres } from "../../src/postgres/postgres-error.js";

test("an address without a password, at a server that requires one, causes an error that says what to write", () => {
  // The words of the pg package, which sends no code.
  const error = new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string");
  expect(explainPostgres(error)).toContain("there is none. Write it into the address");
});

test("an unknown error keeps its message", () => {
  expect(explainPostgres(new Error("The server does not support SSL connections."))).toBe(
    "it failed: The server does not support SSL connections. The log of the server may say more.",
  );
});
