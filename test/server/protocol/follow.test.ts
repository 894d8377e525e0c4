import { expect, test } from "vitest";
import { createAgent, openThreads } from "../../../src/index.js";
import type { ProtocolEvent } from "../../../src/server/protocol/protocol-event.js";
import { modelAt, startOpenAIServer } from "../../helpers/openai-server.js";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { openKind } from "../../threads/open-kind.js";
import { as, authenticate, served } from "../access/served.js";
import { graph } from "../conformance/wire-graph.js";
import { command, isEnd, readEvents } from "./protocol-reader.js";

const agents = { wire: graph };
const start = (word: string) => ({
  assistant_id: "wire",
  input: { do: word, messages: [{ role: "user", content: "Hi", id: crypto.randomUUID() }] },
});
/** An event in a few words: its method, and its word if it has one. */
const brief = ({ method, params: { namespace, data } }: ProtocolEvent) =>
  [method, namespace.map((part) => part.split(":")[0]).join("|"), Object(data).event].filter(Boolean).join(" ");
const ids = (events: readonly ProtocolEvent[]) => events.map(({ event_id }) => event_id);

test.each(matrix(lastingDatabases, sqlite))(
  "the events of a run are the same for each reader, on another server, too: $name",
  async (kind) => {
    const { url, threads } = await openKind(kind);
    await using others = await openThreads(url);
    const { send } = await served({ agents, threads });
    const { send: sendOther } = await served({ agents, threads: others, maxRuns: 0 });
    // A stream may be opened before there is a thread.
    const live = readEvents(sendOther, "t", isEnd);
    const { meta, result } = await command(send, "t", "run.start", start("child talks"));
    const events = await live;
    expect(events.filter(({ method }) => method !== "messages").map(brief)).toEqual([
      ...[
        "lifecycle running",
        "checkpoints",
        "values",
        "lifecycle first started",
        "custom",
        "lifecycle first completed",
      ],
      ...["checkpoints", "values", "lifecycle child started", "checkpoints child", "values child"],
      ...["lifecycle child|inner started", "custom child", "lifecycle child|inner completed"],
      ...["checkpoints child", "values child", "lifecycle child completed", "checkpoints", "values"],
      ...["lifecycle second started", "lifecycle second completed", "checkpoints", "values", "lifecycle completed"],
    ]);
    const messages = events.filter(({ method }) => method === "messages");
    expect(messages.map(({ params }) => Object(params.data).event)).toEqual([
      ...["message-start", "content-block-start", ..."Hello.".split("").map(() => "content-block-delta")],
      ...["content-block-finish", "message-finish"],
    ]);
    expect(events[0]?.event_id).toBe(`synth:${result?.run_id}:1.0`);
    const numbers = [meta?.applied_through_seq ?? 0, ...events.map(({ seq }) => seq)];
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(Math.min(...numbers)).toBeGreaterThan(0);
    for (const reader of [send, sendOther]) expect(await readEvents(reader, "t", isEnd)).toEqual(events);

    const filtered = async (filter: Readonly<Record<string, unknown>>) =>
      (await readEvents(send, "t", ({ event_id }) => event_id === lastOf(filter), filter)).map(brief);
    const lastOf = (filter: object) =>
      ids(
        events.filter((event) =>
          "namespaces" in filter ? event.params.namespace[0]?.startsWith("child") : isEnd(event),
        ),
      ).at(-1);
    expect(await filtered({ channels: ["lifecycle"], namespaces: [["child"]], depth: 0 })).toEqual([
      "lifecycle child started",
      "lifecycle child completed",
    ]);
    expect(await filtered({ channels: ["lifecycle"], since: events.at(-2)?.seq })).toEqual(["lifecycle completed"]);
  },
);

test("a reader gets the newest run and those that have not ended, each that comes, and nothing of another owner", async () => {
  const { send } = await served({ agents, authenticate });
  const [ann, bob] = [as("ann", send), as("bob", send)];
  const runs: string[] = [];
  const begin = async (word: string) => {
    const { result } = await command(ann, "t", "run.start", start(word));
    runs.push(result?.run_id ?? "");
    return runs.at(-1) ?? "";
  };
  const runsOf = (events: readonly ProtocolEvent[]) => [
    ...new Set(events.map(({ event_id }) => event_id.split(":")[1])),
  ];
  const endOf = (run: string) => (event: ProtocolEvent) => isEnd(event) && event.event_id.includes(run);

  const seen = await readEvents(ann, "t", endOf(await begin("plain")));
  const missed = await readEvents(ann, "t", endOf(await begin("plain")));
  expect(runsOf(await readEvents(ann, "t", isEnd))).toEqual(runs.slice(1));
  // Whoever comes back gets all that it missed, also of a run that is not the newest.
  const { event_id, seq } = seen.at(-3) ?? expect.fail("There are no events.");
  const cameBack = [...seen.slice(-2), ...missed];
  const endOfMissed = endOf(runs[1] ?? "");
  expect(await readEvents(ann, "t", endOfMissed, { since: seq })).toEqual(cameBack);
  expect(await readEvents(ann, "t", endOfMissed, {}, { "Last-Event-ID": event_id })).toEqual(cameBack);
  const held = await begin("held");
  const next = await begin("fail");
  const seenByBob: ProtocolEvent[] = [];
  readEvents(bob, "t", (event) => seenByBob.push(event) < 0).catch(() => undefined);
  const following = readEvents(ann, "t", endOf(next));
  await ann("PUT", "/store/items", { body: { namespace: ["t"], key: "go on", value: {} } });
  const events = await following;
  expect(runsOf(events)).toEqual([held, next]);
  expect(events.filter(isEnd).map(({ params }) => params.data)).toMatchObject([
    { event: "completed" },
    { event: "failed", error: "TypeError: The node failed on purpose." },
  ]);
  expect(seenByBob).toEqual([]);
  expect(
    (await bob("POST", "/threads/t/commands", { body: { id: 1, method: "run.start", params: start("plain") } })).status,
  ).toBe(404);
});

test("a run that is stopped or undone ends as interrupted, and cut words have no end", async () => {
  const { send } = await served({ agents });
  for (const action of ["interrupt", "rollback"]) {
    const { result } = await command(send, action, "run.start", start("held"));
    const following = readEvents(send, action, isEnd);
    await readEvents(send, action, (event) => brief(event) === "lifecycle slow started");
    await send("POST", `/threads/${action}/runs/${result?.run_id}/cancel?action=${action}`);
    expect(brief((await following).at(-1) ?? expect.fail("nothing"))).toBe("lifecycle interrupted");
  }
});

test("after a stop the words that were shown are in the state, as the message that was streamed", async () => {
  await using models = await startOpenAIServer([{ text: "One two three four.", stallAfterPieces: 3 }]);
  const { send } = await served({ agents: { agent: createAgent({ model: modelAt(models.url), rephrase: false }) } });
  const { result } = await command(send, "t", "run.start", { ...start(""), assistant_id: "agent" });
  const has = (word: string) => (event: ProtocolEvent) => Object(event.params.data).event === word;
  const [message] = (await readEvents(send, "t", has("content-block-delta"))).filter(has("message-start"));
  await send("POST", `/threads/t/runs/${result?.run_id}/cancel`);
  const events = await readEvents(send, "t", isEnd);
  expect(events.slice(-3).map(brief)).toEqual(["messages plan message-finish", "values", "lifecycle interrupted"]);
  const { messages, stopReason } = Object(events.at(-2)?.params.data);
  expect([messages.at(-1).id, stopReason]).toEqual([Object(message?.params.data).id, "cancelled"]);
  expect("One two three four.").toContain(messages.at(-1).content);
});

test("what this server does not do, and what nobody can do, is refused in words", async () => {
  const { send } = await served({ agents });
  await command(send, "t", "run.start", start("held"));
  const code = async (method: string, params: object = {}) => (await command(send, "t", method, params)).error;
  expect({
    ...{ fork: await code("state.fork"), inject: await code("input.inject"), tree: await code("agent.getTree") },
    ...{ subscribe: await code("subscription.subscribe"), other: await code("run.stop") },
    busy: await code("run.start", { ...start("plain"), multitaskStrategy: "reject" }),
    graph: await code("run.start", { ...start("plain"), assistant_id: "nobody" }),
    setting: await code("run.start", { ...start("plain"), config: { configurable: { model: "x" } } }),
    params: await code("input.respond", { responses: [] }),
    answer: await code("input.respond", { interrupt_id: "none", response: 1 }),
  }).toEqual({
    ...{ fork: "not_supported", inject: "not_supported", tree: "not_supported", subscribe: "not_supported" },
    ...{ other: "unknown_command", busy: "invalid_argument", graph: "invalid_argument", setting: "invalid_argument" },
    ...{ params: "invalid_argument", answer: "no_such_interrupt" },
  });
  expect((await send("GET", "/threads/t/stream/events")).status).toBe(404);
});
