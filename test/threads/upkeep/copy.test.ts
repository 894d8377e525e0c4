import { END, ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { InvalidOptionError, ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import { type Statement, statementOf } from "../../../src/threads/databases/database.js";
import { threadTables } from "../../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { approvalRequests, decide } from "../../../src/turns/approvals.js";
import { coded } from "../../helpers/coded.js";
import { databases, lastingDatabases, memory, postgres, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn, answer, payerOn } from "../agents.js";
import { allOf, at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";
import { halfway, payFive, resumed } from "./stopped-turns.js";

const historyOf = (threads: Threads) => allOf(agentOn(threads).getStateHistory(at("t")));

/** All that is kept of a thread, in an order of its own: that of rows is the database's. */
const partsOf = async (threads: Threads) => (await allOf(threads.export("t"))).toSorted();

const pairs = databases.flatMap((from) => databases.map((to) => ({ from, to })));
const usual = pairs.filter(({ from, to }) => from === memory && to === sqlite);
const others = [
  ...usual,
  ...pairs.filter(({ from, to }) => (from === sqlite && to === postgres) || (from === postgres && to === sqlite)),
];

describe.each(matrix(pairs, ...usual))("a thread that is copied from $from.name to $to.name", ({ from, to }) => {
  test("is the same there, can be continued there, and stays unchanged here", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    await halfway(threads);
    const [before, history, parts] = [await threads.get("t"), await historyOf(threads), await partsOf(threads)];
    await threads.copy("t", target);
    expect(await target.get("t")).toEqual(before);
    expect(await historyOf(target)).toEqual(history);
    expect(await target.history("t")).toEqual(await threads.history("t"));
    expect(await partsOf(target)).toEqual(parts);
    expect(await target.search("hello")).toEqual(await threads.search("hello"));
    expect(await target.search("hello")).toHaveLength(2);
    expect(await agentOn(target, answer("4")).invoke(null, at("t"))).toMatchObject({ answer: "4" });
    expect([await threads.get("t"), await partsOf(threads)]).toEqual([before, parts]);
  });
});

describe.each(matrix(others, ...usual))("a thread that is copied from $from.name to $to.name", ({ from, to }) => {
  test("resumes a call that waits for a decision", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    const paid: string[] = [];
    const payer = (at: Threads, reply: string) =>
      payerOn(at, (amount) => `${paid.push(amount)} paid`, [reply], "always");
    await payer(threads, " Pay\nAction: pay\nAction Input: 5").invoke({ messages: "Pay" }, at("t"));
    await threads.copy("t", target);
    expect(await target.get("t")).toEqual(await threads.get("t"));
    const agent = payer(target, answer("Paid."));
    const [request] = approvalRequests(await agent.getState(at("t")));
    const state = await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), at("t"));
    expect([state.answer, paid]).toEqual(["Paid.", ["5"]]);
    expect(await threads.get("t")).toMatchObject({ status: "waiting" });
  });

  test("keeps its branches, also after pruning, and the state of another graph", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    const [first] = await threads.checkpointsFrom("t", "");
    await graph.invoke({ messages: [question("aside")] }, at("t", first));
    await threads.prune({ keepTurns: 1 });
    await threads.copy("t", target);
    const history = await threads.history("t");
    expect(history.branches).toHaveLength(1);
    expect(await target.history("t")).toEqual(history);
    expect(await partsOf(target)).toEqual(await partsOf(threads));
    const [copied, old] = await Promise.all(
      [target, threads].map(({ checkpointer }) =>
        stepsGraph(checkpointer).invoke({ messages: [question("more")] }, at("t")),
      ),
    );
    expect(copied).toEqual(old);
  });

  test("is refused where a thread with its id exists, and changes nothing", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    await halfway(threads);
    await agentOn(target, answer("Bye!")).invoke({ messages: "Say goodbye" }, at("t"));
    const before = [await target.get("t"), await partsOf(target)];
    await expect(threads.copy("t", target)).rejects.toThrow(coded(ThreadError, "thread-exists"));
    expect([await target.get("t"), await partsOf(target)]).toEqual(before);
    const hold = await checkpointerOf(target).guard.take("free");
    await agentOn(threads, answer("Hi!")).invoke({ messages: "Hi" }, at("free"));
    await expect(threads.copy("free", target)).rejects.toThrow(ThreadInUseError);
    await hold.release();
    await threads.copy("free", target);
    expect((await target.list()).map(({ id }) => id)).toEqual(["free", "t"]);
  });

  test("leaves nothing there if it ends before any of its statements", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    await halfway(threads);
    const { database, guard } = checkpointerOf(target);
    const counts = ["glassloop_threads", ...threadTables].map((table) => `(select count(*) from ${table})`);
    const rows = `select cast(${counts.join(" + ")} as integer) as n`;
    const batch = database.batch.bind(database);
    const isCopied = ({ sql }: Statement) => /^insert into glassloop_(?!guards|meta)/.test(sql);
    let left = 0;
    let before = 0;
    vi.spyOn(database, "batch").mockImplementation((statements, options) =>
      batch(
        statements.map((one) => (isCopied(one) && before-- === 0 ? statementOf("select * from full_disk") : one)),
        options,
      ),
    );
    for (; (await target.get("t")) === undefined; left += 1) {
      before = left;
      const copied = await threads.copy("t", target).catch((error: unknown) => error);
      if (copied === undefined) continue;
      expect(String(copied)).toContain("full_disk");
      expect([await database.all(rows), await guard.isRunning("t")]).toEqual([[{ n: 0 }], false]);
    }
    expect(left).toBeGreaterThan(5);
    expect(await partsOf(target)).toEqual(await partsOf(threads));
  });

  test("has what a current run has stored, and does not disturb the run", async () => {
    const [{ threads }, { threads: target }] = [await openKind(from), await openKind(to)];
    const paid: string[] = [];
    const copyAndPay = async (amount: string) => {
      await threads.copy("t", target);
      return `${paid.push(amount)} paid`;
    };
    const payer = payerOn(threads, copyAndPay, [payFive, answer("Paid.")]);
    expect([(await payer.invoke({ messages: "Pay" }, at("t"))).answer, paid]).toEqual(["Paid.", ["5"]]);
    expect(await target.get("t")).toMatchObject({ status: "interrupted", turns: 1 });
    expect(await resumed(target, paid)).toEqual({ calls: ["unknown"], paid: ["5"] });
  });
});

describe.each(matrix(databases, memory))("copying from $name", (kind) => {
  test("refuses wrong arguments with an error", async () => {
    const { threads } = await openKind(kind);
    await using target = await openThreads("memory:");
    await expect(threads.copy("nobody", target)).rejects.toThrow(coded(ThreadError, "thread-not-found"));
    await halfway(threads);
    const foreign = { ...target, checkpointer: Object.create(null) };
    await expect(threads.copy("t", foreign)).rejects.toThrow(InvalidOptionError);
    await checkpointerOf(threads).database.batch([
      { sql: "delete from glassloop_items where content like $1", parameters: ["%Hello!%"] },
    ]);
    await expect(threads.copy("t", target)).rejects.toThrow(coded(ThreadError, "damaged-thread"));
    expect(await target.get("t")).toBeUndefined();
    expect(await checkpointerOf(target).guard.isRunning("t")).toBe(false);
  });

  test("restores a thread for a process that has cached another state of it", async () => {
    const { threads, url } = await openKind(kind);
    await using other = kind.lasting ? await openThreads(url) : threads;
    await using backup = await openThreads("memory:");
    const texts = ["first ".repeat(99), "second ".repeat(99)];
    const put = async ({ checkpointer }: Threads, id: string, parent: string | undefined, list: string[]) => {
      const version = checkpointer.getNextVersion(Number(id));
      const checkpoint = { ...emptyCheckpoint(), id, channel_values: { list }, channel_versions: { list: version } };
      const metadata = { source: "loop", step: 1, parents: {} } as const;
      await checkpointer.put(at("t", parent), checkpoint, metadata, { list: version });
    };
    await put(threads, "1", undefined, texts.slice(0, 1));
    await threads.copy("t", backup);
    await put(threads, "2", "1", texts);
    await other.delete("t");
    await backup.copy("t", other);
    // The second text is not stored any more.
    expect((await threads.checkpointer.getTuple(at("t")))?.checkpoint.id).toBe("1");
    await put(threads, "3", "1", texts);
    await using again = kind.lasting ? await openThreads(url) : threads;
    expect((await again.checkpointer.getTuple(at("t")))?.checkpoint.channel_values).toEqual({ list: texts });
  });
});

test.each(matrix(lastingDatabases, sqlite))(
  "another process's cache of a thread in $name is not used for a thread that got its id",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    const other = await openThreads(url);
    onTestFinished(() => other.close());
    // The nodes give a number, and the state has a long text for it: no write of a node stores that text.
    const long = (n: number) => `text ${n} `.repeat(100);
    const texts = new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.number(), reducer: (before, n) => [...before, long(n)] },
    );
    const graphOn = ({ checkpointer }: Threads) =>
      new StateGraph(new StateSchema({ texts }))
        .addNode("end", () => ({}))
        .addEdge(START, "end")
        .addEdge("end", END)
        .compile({ checkpointer });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await graphOn(threads).invoke({ texts: 2 }, at("a"));
    await graphOn(threads).getState(at("b"));
    await threads.delete("b");
    const [end] = await allOf(threads.checkpointer.list(at("a"), { limit: 1 }));
    await threads.fork("a", end?.checkpoint.id ?? "", "b");

    expect((await graphOn(other).getState(at("b"))).values).toEqual({ texts: [long(2)] });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await using fresh = await openThreads(url);
    const [newest] = await allOf(fresh.checkpointer.list(at("b")));
    expect(newest?.checkpoint.channel_values.texts).toEqual([long(2), long(1)]);
  },
);
