import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sharedPostgres } from "../../helpers/postgres.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { installPackages, startProcess } from "../serve-process.js";

const agents = `
import { StateGraph, StateSchema, START, END } from "@langchain/langgraph";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** Says who is in its second step, and stays there until somebody else is. */
export const steps = new StateGraph(new StateSchema({ ran: z.array(z.number()).default([]) }))
  .addNode("step", async ({ ran }) => {
    if (ran.length === 1 && !existsSync("held")) { writeFileSync("held", String(process.pid)); await sleep(1e6); }
    return { ran: [...ran, process.pid] };
  })
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ ran }) => (ran.length < 3 ? "step" : END), ["step", END])
  .compile();
`;

/** The words with which `examples/compose.yaml` starts a process. */
function composed(name: "serve" | "worker"): string[] {
  const [, words = ""] =
    new RegExp(`/glassloop ${name} (.*)`).exec(readFileSync("examples/compose.yaml", "utf8")) ?? [];
  return words.split(" ");
}

describe("glassloop worker", () => {
  it("executes runs of a server, and takes over those of a worker that is killed", async () => {
    await using folder = await workingFolder();
    installPackages(folder.path);
    writeFileSync(join(folder.path, "agents.js"), agents);
    writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
    const { url: db, remove } = await sharedPostgres().createSchema();
    onTestFinished(remove);
    writeFileSync(join(folder.path, "langgraph.json"), '{ "graphs": { "steps": "./agents.js:steps" } }');
    const key = { headers: { "X-Api-Key": "secret" } };
    const env = { GLASSLOOP_DB: db, GLASSLOOP_SERVER_KEY: "secret" };
    const [server, ...workers] = await Promise.all([
      startProcess("serve", folder.path, composed("serve"), env),
      startProcess("worker", folder.path, composed("worker"), env),
      startProcess("worker", folder.path, composed("worker"), env),
    ]);
    const { thread_id } = await server.client.threads.create();
    const run = await server.client.runs.create(thread_id, "steps", { input: {} });
    await expect.poll(() => existsSync(join(folder.path, "held"))).toBe(true);
    const metrics = await Promise.all(workers.map(async ({ url }) => (await fetch(`${url}/metrics`, key)).text()));
    const holds = metrics.findIndex((text) => text.includes("glassloop_active_runs 1\n"));
    const [holder, other] = holds === 0 ? workers : workers.toReversed();
    expect(metrics[0]).toMatch(/glassloop_runs\{status="running"\} 1\n[\s\S]*glassloop_engines 3\n/);

    holder?.signal("SIGKILL");
    await holder?.ended();
    expect(await server.client.runs.join(thread_id, run.run_id)).toMatchObject({ ran: expect.any(Array) });
    const { values } = await server.client.threads.getState<{ ran: number[] }>(thread_id);
    expect([values.ran.length, new Set(values.ran).size, values.ran[1]]).toEqual([3, 2, values.ran[2]]);

    expect((await fetch(`${other?.url}/health`)).status).toBe(200);
    const { status } = await fetch(`${other?.url}/threads/search`, { method: "POST", body: "{}" });
    expect(status).toBe(404);
    expect(await (await fetch(`${other?.url}/metrics`, key)).text()).toContain(
      'glassloop_ended_runs_total{status="success"} 1\n',
    );
    other?.signal("SIGTERM");
    expect(await other?.ended()).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Executing runs of steps;/),
    });
  });

  it.each([
    [["--max-runs", "0"], "A worker executes runs. Give --max-runs a number from 1."],
    [["--db", "memory:"], "A worker needs the database of its servers. Give --db postgres://…, as they have it."],
  ])("refuses %j", async (args, reason) => {
    const { exitCode, stderr } = await runProgram(["worker", ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(reason);
  });
});
