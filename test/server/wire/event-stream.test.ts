import { Hono } from "hono";
import { expect, test } from "vitest";
import { RunError, ThreadsDatabaseError } from "../../../src/base/errors.js";
import { eventStream } from "../../../src/server/wire/event-stream.js";

async function streamOf(problem?: Error): Promise<Response> {
  async function* events() {
    yield { event: "values", json: "{}", id: "0" };
    if (problem) throw problem;
  }
  const app = new Hono().get("/", (context) => eventStream(context, events, () => {}));
  return app.request("/");
}

const textOfStream = async (problem?: Error) => (await streamOf(problem)).text();

const values = ": stream\n\nevent: values\ndata: {}\nid: 0\n\n";

test("a stream tells how a run ended, and just ends where the run may go on, so that clients come back", async () => {
  expect(await textOfStream()).toBe(`${values}event: end\ndata: null\n\n`);
  expect(await textOfStream(new RunError("run-not-found", "r"))).toContain(`${values}event: error\ndata: `);
  expect(await textOfStream(new RunError("server-closing", "r"))).toBe(values);
  expect(await textOfStream(new ThreadsDatabaseError("postgres://h/d", "it was silent."))).toBe(values);
});

test("a proxy is told to pass events on as they come, and unchanged", async () => {
  const { headers } = await streamOf();
  expect(headers.get("content-type")).toBe("text/event-stream");
  expect(headers.get("cache-control")).toBe("no-cache, no-transform");
  expect(headers.get("x-accel-buffering")).toBe("no");
});
