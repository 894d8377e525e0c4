import { describe, expect, test } from "vitest";
import { ThreadError } from "../../../src/base/errors.js";
import { coded } from "../../helpers/coded.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { allOf, at, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";
import { cutOff, halfway } from "./stopped-turns.js";

describe.each(matrix(databases, memory))("a thread in $name", (kind) => {
  test("is exported as lines of JSON, the same each time", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const lines = await allOf(threads.export("t"));
    const parts = lines.map((line): unknown => JSON.parse(line));
    expect(parts[0]).toMatchObject({ type: "glassloop-thread", format: 1, thread: { id: "t", title: "Say hello" } });
    expect(parts.at(-1)).toEqual({ type: "end", lines: lines.length - 1 });
    expect((await allOf(threads.export("t"))).toSorted()).toEqual(lines.toSorted());
    await expect(allOf(threads.export("nobody"))).rejects.toThrow(coded(ThreadError, "thread-not-found"));
  });

  test("is exported with all of its data, and no data of other threads", async () => {
    const { threads } = await openKind(kind);
    await cutOff(threads);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("other")] }, at("other"));
    const text = (await allOf(threads.export("t"))).join("");
    const kinds = [...text.matchAll(/^\{"type":"([a-z-]+)"/gm)].map(([, kindOfLine]) => kindOfLine);
    expect(new Set(kinds)).toEqual(new Set(["glassloop-thread", "item", "checkpoint", "version", "write", "end"]));
    const { turns } = await threads.history("t");
    for (const { checkpoint } of turns.flatMap(({ steps }) => steps)) expect(text).toContain(`"id":"${checkpoint}"`);
    expect(text).toContain("__glassloop_begun");
    expect(text).not.toContain("Question other?");
  });
});
