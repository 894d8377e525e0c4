import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { UsageError } from "../program/exit-codes.js";
import type { End, NewCommand } from "../program/options.js";
import { type ProcessOptions, withProcessOptions } from "../serve/process-options.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withProcessOptions(command, 2025)
    .addHelpText("after", examples)
    .action(async (file, options) => end(await work(file, options, io)));
}

const examples = `
Examples, for any number of machines:
  glassloop serve --db postgres://… --max-runs 0
  glassloop worker --db postgres://… --max-runs 50`;

/** Executes runs of servers on the same database. It answers only what tells of the process. */
async function work(file: string | undefined, options: ProcessOptions, io: Io) {
  if (options.maxRuns === 0) throw new UsageError("A worker executes runs. Give --max-runs a number from 1.");
  if (databaseUrl(options.db, io).startsWith("memory:"))
    throw new UsageError("A worker needs the database of its servers. Give --db postgres://…, as they have it.");
  const { runProcess } = await import("../serve/run-process.js");
  return runProcess(file, options, io, {
    forClients: {},
    answer:
      ({ fetch }) =>
      (request) =>
        ["/health", "/metrics"].includes(new URL(request.url).pathname)
          ? fetch(request)
          : new Response("This is a worker. It answers /health and /metrics.\n", { status: 404 }),
    greeting: (names, url) => `Executing runs of ${names}; /health and /metrics on ${url}. Ctrl-C ends.`,
  });
}
