import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openThreads } from "../../src/threads/open.js";
import { approvalRequests, decide } from "../../src/turns/approvals.js";
import { querySqlite } from "../helpers/query-sqlite.js";
import { agentOn, answer, payerOn } from "./agents.js";
import { at } from "./open-kind.js";

const statements = readFileSync(new URL("fixtures/written-before.sql", import.meta.url), "utf8")
  .trim()
  .split("\n");

test("a file that a build of November 2026 wrote is read, and its threads go on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-before-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "threads.db");
  await querySqlite(file, ...statements);
  await using threads = await openThreads(`sqlite:${file}`);
  expect((await threads.list()).map(({ id, status, turns }) => [id, status, turns])).toEqual([
    ["waiting", "waiting", 1],
    ["told", "idle", 2],
  ]);
  expect((await threads.history("told")).turns.map((turn) => turn.answer)).toEqual(["Hello!", "Bye!"]);
  expect(await threads.search("goodbye")).toMatchObject([{ thread: "told", speaker: "question" }]);
  await agentOn(threads, answer("Again!")).invoke({ messages: "Once more" }, at("told"));
  expect(await threads.get("told")).toMatchObject({ turns: 3, lastQuestion: "Once more" });
  const payer = payerOn(threads, (amount) => `${amount} paid`, [answer("Paid.")], "always");
  const [request] = approvalRequests(await payer.getState(at("waiting")));
  const { answer: said } = await payer.invoke(decide({ [request?.id ?? ""]: "approve" }), at("waiting"));
  expect(said).toBe("Paid.");
});
