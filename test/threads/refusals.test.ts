import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { ThreadError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { coded } from "../helpers/coded.js";
import { sharedPostgres } from "../helpers/postgres.js";
import { databases, lastingDatabases, memory, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { allOf, at, checkpointerOf, openKind } from "./open-kind.js";
import { question, stepsGraph } from "./steps-graph.js";

function agentOn({ checkpointer }: Threads, name: string) {
  const model = scriptedModel([" I know\nFinal Answer: Hello!"]);
  return createAgent({ model, protocol: "react", rephrase: false, checkpointer, name });
}

/** The notes of a database that was made before 0.1.0. */
const madeBefore = [
  "delete from glassloop_meta",
  "insert into glassloop_meta (name, value) values ('schema_version', '1'), ('search_index', 'complete')",
];
const versionIs = (version: string) => [`update glassloop_meta set value = '${version}' where name = 'version'`];

/** Returns all that a database holds: the bytes of a file, as text, because that is compared quickly, or the rows of its tables. */
async function contentOf(url: string): Promise<unknown> {
  if (url.startsWith("sqlite:")) return readFile(url.slice("sqlite:".length), "latin1");
  const schema = new URL(url).searchParams.get("options")?.split("=")[1] ?? "";
  const [all] = await sharedPostgres().query(`select schema_to_xml('${schema}', true, false, '') as content`);
  return all;
}

describe.each(matrix(lastingDatabases, sqlite))("a database in $name is refused, and left unchanged, when", (kind) => {
  test.each([
    {
      what: "it was made before 0.1.0",
      change: madeBefore,
      reason: "made before 0.1.0, and this Glassloop cannot read",
    },
    {
      what: "it is of a newer version",
      change: versionIs("3"),
      reason: "version 3, and this Glassloop knows versions up to 2",
    },
    { what: "its version is no number", change: versionIs("one"), reason: "are of version one" },
    { what: "its version is empty", change: versionIs(""), reason: "are of version , and" },
  ])("$what", async ({ change, reason }) => {
    const { threads, url } = await openKind(kind);
    await agentOn(threads, "glassloop").invoke({ messages: "Say hello" }, at("t"));
    await checkpointerOf(threads).database.batch(change.map((sql) => ({ sql, parameters: [] })));
    await threads.close();
    const before = await contentOf(url);
    const error: unknown = await openThreads(url).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ThreadsDatabaseError);
    expect(String(error)).toContain(reason);
    expect(await contentOf(url)).toEqual(before);
  });
});

describe.each(matrix(databases, memory))("the state of a thread in $name", (kind) => {
  test("is stored with its version and the name of its graph", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, "support").invoke({ messages: "Say hello" }, at("t"));
    expect(await threads.get("t")).toMatchObject({ graph: "support", stateVersion: 1 });
    for (const { metadata } of await allOf(threads.checkpointer.list(at("t")))) {
      expect(metadata).toMatchObject({ graph: "support", state_version: 1 });
    }
  });

  test("is refused when it belongs to another graph, and stays unchanged", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, "support").invoke({ messages: "Say hello" }, at("t"));
    const before = await threads.get("t");
    const other = agentOn(threads, "research");
    for (const attempt of [
      () => other.invoke({ messages: "Hm?" }, at("t")),
      () => other.getState(at("t")),
      () => other.updateState(at("t"), { answer: "mine" }, "parse"),
      () => other.getStateHistory(at("t")).next(),
    ]) {
      await expect(attempt()).rejects.toThrow(coded(ThreadError, "foreign-thread"));
    }
    await expect(other.getState(at("t"))).rejects.toThrow(
      'belongs to the graph "support", and this agent is "research"',
    );
    expect(await threads.get("t")).toEqual(before);
  });

  test("is refused when it belongs to a graph that is no agent", async () => {
    const { threads } = await openKind(kind);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("t"));
    await expect(agentOn(threads, "glassloop").invoke({ messages: "Hm?" }, at("t"))).rejects.toThrow(
      "the state of a graph that is not a Glassloop agent",
    );
  });

  test("is refused when it is of a newer version, and stays unchanged", async () => {
    const { threads } = await openKind(kind);
    const newer = { name: "glassloop", stateVersion: 2, passing: new Set<string>() };
    await stepsGraph(checkpointerOf(threads).forGraph(newer)).invoke({ messages: [question("q")] }, at("t"));
    const before = await threads.get("t");
    const agent = agentOn(threads, "glassloop");
    await expect(agent.invoke({ messages: "Hm?" }, at("t"))).rejects.toMatchObject({ code: "newer-thread" });
    await expect(agent.getState(at("t"))).rejects.toThrow("of version 2, and this Glassloop knows versions up to 1");
    await expect(agent.getStateHistory(at("t")).next()).rejects.toMatchObject({ code: "newer-thread" });
    expect(await threads.get("t")).toEqual(before);
  });
});
