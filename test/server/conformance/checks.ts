import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Checkpoint, Client, Thread, ThreadState } from "@langchain/langgraph-sdk";
import { isRecord } from "../../../src/base/is-record.js";
import { allOf } from "../../threads/open-kind.js";
import { type Request, statuses, storeChecks } from "./store-checks.js";

/** A server, as the checks use it: over the SDK, and with requests that the SDK would not send. */
export interface Served {
  readonly client: Client;
  request(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
}

/** A check returns what is compared: the same from every server. */
export type Check = (server: Served) => Promise<unknown>;

const absent = "00000000-0000-4000-8000-000000000000";
const what = (word: string) => ({ input: { do: word } });
type Options = Record<string, unknown>;

/** Returns the status of a request that is refused. */
async function refused(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ done: value }),
    (error: unknown) => (isRecord(error) ? (error.status ?? String(error.message)) : String(error)),
  );
}

async function newThread({ client }: Served): Promise<string> {
  return (await client.threads.create()).thread_id;
}

/** Runs a word on a new thread, to its end. */
async function ended(server: Served, word = "plain", options: Options = {}): Promise<string> {
  const id = await newThread(server);
  await server.client.runs.wait(id, "wire", { ...what(word), raiseError: false, ...options });
  return id;
}

/** Runs a word on a new thread, and returns the values at its end. */
const waited = async (server: Served, word: string, options: Options = {}): Promise<unknown> =>
  server.client.runs.wait(await newThread(server), "wire", { ...what(word), ...options });

interface Event {
  readonly event: string;
  readonly data: unknown;
}

async function eventsIn(stream: AsyncIterable<{ event: string; data: unknown }>): Promise<Event[]> {
  const events = (await allOf(stream)).filter(({ event }) => event !== "end");
  return events.map(({ event, data }) => ({ event, data }));
}

function stream({ client }: Served, thread: string, payload: Options): Promise<Event[]> {
  return eventsIn(Reflect.apply(client.runs.stream, client.runs, [thread, "wire", payload]));
}

/** Streams a run of a word on a new thread. */
async function streamed(server: Served, word: string, streamMode: string | string[], options: Options = {}) {
  return stream(server, await newThread(server), { ...what(word), streamMode, ...options });
}

/** The names of events, neighbours of one name as one. */
const names = (events: readonly Event[]) =>
  events.map(({ event }) => event).filter((one, at, all) => one !== all[at - 1]);

async function until<Value>(isSo: () => Promise<Value | undefined | false>): Promise<Value> {
  for (;;) {
    const value = await isSo();
    if (value) return value;
    await sleep(20);
  }
}

const runStatus = async ({ client }: Served, thread: string, run: string) =>
  (await client.runs.get(thread, run)).status;
const endOf = (server: Served, thread: string, run: string) =>
  until(async () => {
    const status = await runStatus(server, thread, run);
    return status !== "pending" && status !== "running" && status;
  });
/** The status of a thread whose runs have ended. LangGraph's server sets it after that of the run. */
const threadStatus = ({ client }: Pick<Served, "client">, id: string) =>
  until(async () => {
    const { status } = await client.threads.get(id);
    return status !== "busy" && status;
  });
const logOf = async ({ client }: Served, id: string) => Object(await client.threads.getState(id)).values?.log;
const log = (values: unknown) => Object(values).log;

function brief({ next, metadata, tasks, parent_checkpoint }: ThreadState) {
  return {
    next,
    step: metadata?.step,
    source: metadata?.source,
    isFirst: parent_checkpoint === null,
    tasks: tasks.map(({ name, interrupts, error, result }) => ({ name, interrupts, error, result })),
  };
}

/** A thread without the settings that its last run had. Only LangGraph's server keeps them with the thread. */
const threadForm = ({ config: _, ...thread }: Thread) => thread;

/** Starts a run in the background, and waits until it is in its slow node. */
async function started(server: Served) {
  const id = await newThread(server);
  const { run_id: run } = await server.client.runs.create(id, "wire", what("held"));
  await until(async () => (await server.client.threads.getState(id)).next.includes("slow"));
  return { id, run, letGo: () => server.client.store.putItem([id], "go on", {}) };
}

async function second(server: Served, multitaskStrategy?: "reject" | "enqueue" | "interrupt" | "rollback") {
  const { id, run, letGo } = await started(server);
  const other = await refused(server.client.runs.create(id, "wire", { ...what("plain"), multitaskStrategy }));
  if (multitaskStrategy !== "interrupt" && multitaskStrategy !== "rollback") await letGo();
  const { done } = Object(other);
  const statuses = [done ? await endOf(server, id, done.run_id) : other, await refused(endOf(server, id, run))];
  return { statuses, thread: await threadStatus(server, id), log: await logOf(server, id) };
}

const say = { input: { do: "talk", messages: [{ role: "user", content: "Hi", id: "m1" }] } };
const wrong: Options[] = [
  { assistant_id: 5 },
  { stream_mode: "loud" },
  { multitask_strategy: "wait" },
  { config: "x" },
  { command: "x" },
  { checkpoint: { checkpoint_id: "x" } },
  { metadata: "x" },
];
const wrongQueries = [{ limit: 0 }, { limit: 1001 }, { offset: -1 }, { status: "sleepy" }, { sort_by: "size" }];

/** The checks by name. Each uses threads of its own, so that they may run at once. */
export const checks: Readonly<Record<string, Check>> = {
  "server: ok": async ({ request }) => (await request("GET", "/ok")).body,
  "server: unknown route": async ({ request }) => (await request("GET", "/nothing")).status,
  "server: a body that is no JSON": async ({ request }) => (await request("POST", "/threads", "{")).status,

  "assistants: search": async ({ client }) =>
    (await client.assistants.search({ graphId: "wire" })).map(({ created_at, updated_at, ...one }) => one),
  "assistants: get by name and id": async ({ client }) => {
    const { assistant_id: id } = await client.assistants.get("wire");
    return [id, (await client.assistants.get(id)).graph_id, await client.assistants.count({ graphId: "wire" })];
  },
  "assistants: unknown": async ({ client }) =>
    Promise.all([
      refused(client.assistants.get("nobody")),
      refused(client.assistants.getGraph("nobody")),
      refused(client.assistants.getSchemas("nobody")),
      refused(client.assistants.search({ limit: 0 })),
    ]),
  "assistants: graph": async ({ client }) => {
    const { nodes, edges } = await client.assistants.getGraph("wire");
    return { nodes: nodes.map(({ id }) => id).sort(), edges: edges.length };
  },
  "assistants: schemas": async ({ client }) => {
    const { input_schema, state_schema } = await client.assistants.getSchemas("wire");
    return [input_schema, state_schema].map((schema) => Object.keys(Object(schema).properties).sort());
  },
  "assistants: subgraphs": async ({ client }) => Object.keys(await client.assistants.getSubgraphs("wire")),

  "threads: create": async ({ client }) => client.threads.create({ metadata: { a: 1 } }),
  "threads: create again": async ({ client }) => {
    const { thread_id: threadId } = await client.threads.create({ metadata: { a: 1 } });
    const kept = await client.threads.create({ threadId, metadata: { a: 2 }, ifExists: "do_nothing" });
    return [await refused(client.threads.create({ threadId })), kept.metadata];
  },
  "threads: bad input": async (server) => {
    const path = `/threads/${await newThread(server)}`;
    return statuses(server, [
      ...[{ metadata: "x" }, { if_exists: "x" }].map((body): Request => ["POST", "/threads", body]),
      ...[{}, { metadata: 5 }].map((body): Request => ["PATCH", path, body]),
      ...wrongQueries.map((query): Request => ["POST", "/threads/search", query]),
    ]);
  },
  "threads: get after a run": async (server) => threadForm(await server.client.threads.get(await ended(server))),
  "threads: get at an interrupt": async (server) =>
    threadForm(await server.client.threads.get(await ended(server, "ask"))),
  "threads: unknown": async ({ client }) =>
    Promise.all([
      refused(client.threads.get(absent)),
      refused(client.threads.update(absent, { metadata: {} })),
      refused(client.threads.delete(absent)),
      refused(client.threads.getState(absent)),
      refused(client.threads.updateState(absent, { values: {} })),
      refused(client.threads.getHistory(absent)),
      refused(client.runs.list(absent)),
    ]),
  "threads: update": async ({ client }) => {
    const { thread_id: id } = await client.threads.create({ metadata: { a: 1, b: { c: 1 } } });
    return (await client.threads.update(id, { metadata: { b: { d: 1 }, e: null } })).metadata;
  },
  "threads: delete": async (server) => {
    const id = await ended(server);
    await server.client.threads.delete(id);
    return [await refused(server.client.threads.get(id)), await refused(server.client.runs.list(id))];
  },
  "threads: search and count": async (server) => {
    const { client } = server;
    const tag = randomUUID();
    const ids: string[] = [];
    for (const [n, word] of ["plain", "ask", "fail", ""].entries()) {
      const { thread_id: id } = await client.threads.create({ metadata: { tag, deep: { n, all: true } } });
      if (word) await client.runs.wait(id, "wire", { ...what(word), raiseError: false });
      await threadStatus(server, id);
      ids.push(id);
    }
    const search = async (query: Options) =>
      (await client.threads.search({ metadata: { tag }, ...query })).map(({ thread_id }) => ids.indexOf(thread_id));
    return {
      all: await search({}),
      oldest: await search({ sortBy: "created_at", sortOrder: "asc", limit: 2, offset: 1 }),
      deep: await search({ metadata: { tag, deep: { n: 1 } } }),
      graph: await search({ metadata: { tag, graph_id: "wire" } }),
      ids: await search({ metadata: {}, ids: [ids[2]] }),
      idle: await search({ status: "idle" }),
      interrupted: await search({ status: "interrupted" }),
      error: await search({ status: "error" }),
      count: await client.threads.count({ metadata: { tag }, status: "idle" }),
      select: (await client.threads.search({ metadata: { tag }, select: ["thread_id", "status"] })).map(Object.keys),
    };
  },
  "threads: copy": async (server) => {
    const { client } = server;
    const id = await ended(server, "ask");
    const copy = await client.threads.copy(id).catch(({ status }) => status);
    if (typeof copy === "number") return { refused: copy, first: await threadStatus(server, id) };
    const resumed = await client.runs.wait(copy.thread_id, "wire", { command: { resume: "blue" } });
    return { differs: copy.thread_id !== id, resumed: log(resumed), first: await threadStatus(server, id) };
  },

  "threads: supersteps": async ({ client }) => {
    const values = (word: string) => ({ do: word, log: [word], messages: [{ role: "user", content: "Hi", id: "m" }] });
    const { thread_id: id } = await client.threads.create({
      graphId: "wire",
      supersteps: [
        { updates: [{ values: values("plain"), asNode: "__input__" }] },
        { updates: [{ values: values("plain"), asNode: "__start__" }] },
        { updates: [{ values: { log: ["one"] }, asNode: "first" }] },
        { updates: [{ values: null, command: { update: { log: ["two"] }, goto: "ask" }, asNode: "second" }] },
      ],
    });
    const { values: held } = await client.threads.get(id);
    const history = (await client.threads.getHistory(id)).map(brief);
    const went = log(await client.runs.wait(id, "wire", { input: null }));
    return [held, history, went, await threadStatus({ client }, id)];
  },
  "state: of a new thread": async (server) => server.client.threads.getState(await newThread(server)),
  "state: after a run": async (server) => {
    const { metadata, ...state } = await server.client.threads.getState(await ended(server));
    return state;
  },
  "state: after an error": async (server) => brief(await server.client.threads.getState(await ended(server, "fail"))),
  "state: of a subgraph": async (server) => {
    const id = await ended(server, "child asks");
    const outer = await server.client.threads.getState(id);
    const inner = await server.client.threads.getState(id, Object(outer.tasks[0]).checkpoint);
    const { tasks } = await server.client.threads.getState(id, undefined, { subgraphs: true });
    return [brief(outer), brief(inner), Object(tasks[0]?.state).next];
  },
  "state: at a checkpoint": async (server) => {
    const id = await ended(server);
    const all = await server.client.threads.getHistory(id);
    const at = async (checkpoint: Checkpoint | string = "") => server.client.threads.getState(id, checkpoint);
    const { checkpoint } = all[1] ?? {};
    return [[brief(await at(checkpoint?.checkpoint_id ?? "")), brief(await at(checkpoint))], await refused(at("x"))];
  },
  "state: update": async (server) => {
    const { client } = server;
    const id = await ended(server);
    const updated: unknown = await client.threads.updateState(id, { values: { log: ["mine"] } });
    const { checkpoint } = Object(updated);
    const as = await client.threads.updateState(id, { values: { log: ["as first"] }, asNode: "first" });
    const went = log(await client.runs.wait(id, "wire", { input: null }));
    const keys = Object.keys(Object(checkpoint)).filter((key) => key !== "checkpoint_map");
    return { keys: keys.sort(), isNew: as !== checkpoint, went };
  },
  "state: fork": async (server) => {
    const { client } = server;
    const id = await ended(server);
    const before = (await client.threads.getHistory(id)).at(-2)?.checkpoint;
    const update = { values: { log: ["fork"] }, checkpoint: before, asNode: "first" };
    const { checkpoint } = Object(await client.threads.updateState(id, update));
    const events = await stream(server, id, { input: null, checkpoint, streamMode: "values" });
    return [log(events.at(-1)?.data), (await client.threads.getHistory(id)).length];
  },
  "state: update, refused": async (server) => {
    const { client, request } = server;
    const { id: busy, run } = await started(server);
    const isBusy = await refused(client.threads.updateState(busy, { values: {} }));
    await client.runs.cancel(busy, run, true);
    const id = await ended(server);
    return [
      isBusy,
      await refused(client.threads.updateState(await newThread(server), { values: {} })),
      (await request("POST", `/threads/${id}/state`, { values: "x" })).status,
      (await client.threads.getHistory(id)).length,
    ];
  },
  "history: after a resume": async (server) => {
    const id = await ended(server, "ask");
    await server.client.runs.wait(id, "wire", { command: { resume: "blue" } });
    return (await server.client.threads.getHistory(id)).map(brief);
  },
  "history: parts": async (server) => {
    const { client, request } = server;
    const id = await ended(server);
    const all = await client.threads.getHistory(id);
    const [run] = await client.runs.list(id);
    await client.runs.wait(id, "wire", what("plain"));
    const steps = async (query: Options) => {
      const { body } = await request("POST", `/threads/${id}/history`, query);
      return Array.isArray(body) ? body.map((state) => state.metadata.step) : body;
    };
    return {
      limit: await steps({ limit: 2 }),
      before: await steps({ before: all[1]?.checkpoint.checkpoint_id }),
      from: await steps({ checkpoint: { checkpoint_id: all[2]?.checkpoint.checkpoint_id } }),
      metadata: await steps({ limit: 50, metadata: { step: 0 } }),
      run: (await client.threads.getHistory(id, { limit: 50, metadata: { run_id: run?.run_id } })).length,
      none: await client.threads.getHistory(await newThread(server)),
      wrong: (await request("POST", `/threads/${id}/history`, { limit: "x" })).status,
    };
  },

  "runs: create, get, list, join": async (server) => {
    const { client } = server;
    const id = await newThread(server);
    const { run_id } = await client.runs.create(id, "wire", { ...what("plain"), metadata: { a: 1 } });
    const joined = await client.runs.join(id, run_id);
    const { kwargs, created_at, updated_at, ...run } = Object(await client.runs.get(id, run_id));
    const list = (await client.runs.list(id)).map((one) => [one.run_id === run_id, one.status]);
    return { joined, run, input: kwargs.input, list, again: await client.runs.join(id, run_id) };
  },
  "runs: list by status": async (server) => {
    const id = await ended(server);
    await server.client.runs.wait(id, "wire", { ...what("fail"), raiseError: false });
    const list = async (options: Options) =>
      (await server.client.runs.list(id, options)).map(({ status }) => status).sort();
    return [await list({}), await list({ status: "error" }), (await list({ limit: 1 })).length];
  },
  "runs: metadata of thread and run": async (server) => {
    const id = randomUUID();
    const options = { ...what("plain"), ifNotExists: "create" as const, metadata: { mine: 1 } };
    await server.client.runs.wait(id, "wire", options);
    const [run] = await server.client.runs.list(id);
    return { run: run?.metadata, thread: (await server.client.threads.get(id)).metadata };
  },
  "runs: unknown": async (server) => {
    const id = await newThread(server);
    const [other] = await server.client.runs.list(await ended(server));
    return Promise.all([
      refused(server.client.runs.get(id, absent)),
      refused(server.client.runs.get(id, other?.run_id ?? "")),
      refused(server.client.runs.cancel(id, absent)),
      refused(server.client.runs.delete(id, absent)),
      refused(server.client.runs.create(id, "nobody", what("plain"))),
      refused(stream(server, id, { ...what("plain"), streamMode: "loud" })),
    ]);
  },
  "runs: on an unknown thread": async ({ client }) => refused(client.runs.create(absent, "wire", what("plain"))),
  "runs: bad input": async (server) => {
    const id = await newThread(server);
    const bodies = wrong.map((field) => ({ assistant_id: "wire", ...what("plain"), ...field }));
    const sent = await statuses(
      server,
      bodies.map((body) => ["POST", `/threads/${id}/runs`, body]),
    );
    return [sent, (await server.client.runs.list(id)).length];
  },
  "runs: statuses": async (server) => {
    const { id, run, letGo } = await started(server);
    const busy = (await server.client.threads.get(id)).status;
    await letGo();
    return [busy, await endOf(server, id, run), await threadStatus(server, id)];
  },

  "wait: values": (server) => waited(server, "plain"),
  "wait: an interrupt": (server) => waited(server, "ask"),
  "wait: an error": (server) => waited(server, "fail", { raiseError: false }),
  "wait: resume": async (server) => {
    const wait = async (word: string, options: Options) => {
      const id = await ended(server, word);
      return [log(await server.client.runs.wait(id, "wire", options)), await threadStatus(server, id)];
    };
    return {
      one: await wait("ask", { command: { resume: { colour: "blue" } } }),
      emptyInput: await wait("ask", { input: {}, command: { resume: "blue" } }),
      inner: await wait("child asks", { command: { resume: "deep" } }),
      goto: await wait("ask", { command: { goto: "second" } }),
      update: await wait("ask", { command: { update: { log: ["updated"] }, resume: "r" } }),
      input: await wait("ask", what("plain")),
    };
  },
  "wait: resume one of two": async (server) => {
    const id = await ended(server, "ask twice");
    const { tasks } = await server.client.threads.getState(id);
    const [one, two] = tasks.flatMap(({ interrupts }) => interrupts.map((interrupt) => interrupt.id ?? ""));
    const answer = (name = "", resume = "") =>
      server.client.runs.wait(id, "wire", { command: { resume: { [name]: resume } } });
    return [await answer(one, "1"), await threadStatus(server, id), log(await answer(two, "2"))];
  },
  "wait: goto and update as deep-agents-ui sends them": async (server) => {
    const body = { assistant_id: "wire", command: { goto: "__end__", update: null } };
    return (await server.request("POST", `/threads/${await ended(server, "ask")}/runs/wait`, body)).status;
  },
  "wait: no input": async (server) =>
    String(await refused(waited(server, "plain", { input: null }))).includes("EmptyInputError"),
  "wait: stop before and after a node": async (server) => {
    const { client } = server;
    const at = async (options: Options) => {
      const id = await ended(server, "plain", options);
      const { next } = await client.threads.getState(id);
      const status = await threadStatus(server, id);
      return [next, status, log(await client.runs.wait(id, "wire", { input: null }))];
    };
    return [await at({ interruptBefore: ["second"] }), await at({ interruptAfter: ["first"] })];
  },
  "wait: context and config": async (server) => {
    const config = { tags: ["mine"], configurable: { mine: 2 } };
    return log(await waited(server, "settings", { context: { colour: "red" }, config }));
  },
  "stateless: wait and stream": async ({ client }) => [
    await client.runs.wait(null, "wire", what("plain")),
    names(await eventsIn(client.runs.stream(null, "wire", what("plain")))),
  ],

  ...Object.fromEntries(
    ["values", "updates", "custom", "checkpoints", "tools"].map((streamMode) => [
      `stream: ${streamMode}`,
      (server: Served) => streamed(server, "plain", streamMode),
    ]),
  ),
  "stream: tasks": async (server) => {
    const events = await streamed(server, "plain", "tasks");
    return events.map(({ event, data }) => [event, { ...Object(data), metadata: null }]);
  },
  "stream: debug": async (server) => {
    const events = await streamed(server, "plain", "debug");
    return events.slice(1).map(({ event, data }) => {
      const { type, step, payload } = Object(data);
      const { checkpoint, parent_checkpoint, next, name } = payload;
      return [event, type, step, next, name, checkpoint, parent_checkpoint, Object.hasOwn(payload, "values")];
    });
  },
  "stream: messages-tuple": async (server) => {
    const events = await streamed(server, "talk", "messages-tuple", say);
    const chunks = events.slice(1).map(({ event, data }) => [event, ...Object(data)]);
    const [, , metadata] = chunks[0] ?? [];
    const { langgraph_node, graph_id, assistant_id } = Object(metadata);
    const ids = new Set(chunks.map(([, chunk]) => chunk.id));
    return {
      text: chunks.map(([event, { type, content }]) => [event, type, content]),
      ids: ids.size,
      metadata: { langgraph_node, graph_id, assistant_id },
    };
  },
  "stream: several modes, and none": async (server) => {
    const several = await streamed(server, "plain", ["values", "updates", "custom"]);
    return [names(several), names(await streamed(server, "plain", []))];
  },
  "stream: subgraphs": async (server) => {
    const seen = ["updates", "custom", "messages-tuple", "tasks", "checkpoints"].map(async (streamMode) => [
      streamMode,
      names(await streamed(server, "child talks", streamMode, { streamSubgraphs: true })),
    ]);
    return Promise.all(seen);
  },
  "stream: an interrupt": (server) => streamed(server, "ask", ["values", "updates"]),
  "stream: resume": async (server) =>
    stream(server, await ended(server, "ask"), { command: { resume: "blue" }, streamMode: ["values", "updates"] }),
  "stream: an error": (server) => streamed(server, "fail", "values"),
  "join: after the end, and again in the middle": async (server) => {
    const { client } = server;
    const id = await newThread(server);
    let run = "";
    const options = { ...what("plain"), streamMode: ["values" as const], streamResumable: true };
    const onRunCreated = ({ run_id }: { run_id: string }) => {
      run = run_id;
    };
    const seen = await allOf(client.runs.stream(id, "wire", { ...options, onRunCreated }));
    const all = seen.filter(({ event }) => event !== "end");
    const from = async (lastEventId: string) => eventsIn(client.runs.joinStream(id, run, { lastEventId }));
    return [all.map(({ id: at }) => at), names(await from("-1")), names(await from("1")), names(await from("999"))];
  },
  "join: unknown": async (server) =>
    refused(eventsIn(server.client.runs.joinStream(await newThread(server), absent, { lastEventId: "-1" }))),

  "cancel: a running run": async (server) => {
    const { id, run } = await started(server);
    await server.client.runs.cancel(id, run, true);
    const { next } = await server.client.threads.getState(id);
    const status = await threadStatus(server, id);
    const went = log(await server.client.runs.wait(id, "wire", what("plain")));
    return [await runStatus(server, id, run), status, next, went];
  },
  "cancel: rollback": async (server) => {
    const { id, run } = await started(server);
    await server.client.runs.cancel(id, run, true, "rollback");
    return [await refused(endOf(server, id, run)), (await server.client.threads.getHistory(id)).length];
  },
  "two runs: by default": (server) => second(server),
  "two runs: enqueue": (server) => second(server, "enqueue"),
  "two runs: interrupt": (server) => second(server, "interrupt"),
  "two runs: rollback": (server) => second(server, "rollback"),
  "two runs: behind an interrupt": async (server) => {
    const id = await newThread(server);
    await server.client.runs.create(id, "wire", what("ask"));
    const options = { command: { resume: "blue" }, multitaskStrategy: "enqueue" as const };
    return log(await server.client.runs.wait(id, "wire", options));
  },

  ...storeChecks,
};
