import { z } from "zod";
import { questions } from "./replies.js";

const threadForm = z.object({ thread_id: z.string() });
const listForm = z.object({
  threads: z.array(
    z.object({
      id: z.string(),
      waiting: z
        .array(
          z.object({
            interrupt: z.string(),
            requests: z.array(z.object({ id: z.string(), tool: z.string(), input: z.unknown() })).default([]),
          }),
        )
        .default([]),
    }),
  ),
});

type Waiting = z.output<typeof listForm>["threads"][number]["waiting"][number];
type Client = ReturnType<typeof demoClient>;

/** A server of agents, as a program without a page uses it. */
export function demoClient(url: string, key?: string) {
  const headers = { "Content-Type": "application/json", ...(key !== undefined && { "X-Api-Key": key }) };

  async function request(path: string, body?: object): Promise<unknown> {
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(new URL(path, url), init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  const client = {
    request,
    async newThread(): Promise<string> {
      return threadForm.parse(await request("threads", {})).thread_id;
    },
    /** Asks a question, and waits until the turn ends or waits for a person. Returns the thread. */
    async ask(agent: string, question: string, thread?: string): Promise<string> {
      const id = thread ?? (await client.newThread());
      const input = { messages: [{ type: "human", content: question }] };
      await request(`threads/${id}/runs/wait`, { assistant_id: agent, input });
      return id;
    },
    /** Returns what a thread waits for. */
    async waiting(thread: string): Promise<Waiting> {
      const { threads } = listForm.parse(await request("glassloop/threads?waiting=only&limit=100"));
      const [first] = threads.find(({ id }) => id === thread)?.waiting ?? [];
      if (first === undefined) throw new Error(`The thread ${thread} waits for nothing.`);
      return first;
    },
    /** Decides about the calls that a thread waits for, by the names of their tools, and waits for what follows. */
    async decide(agent: string, thread: string, decisions: Readonly<Record<string, object>>): Promise<void> {
      const { interrupt, requests } = await client.waiting(thread);
      const byId = requests.map(({ id, tool }) => [id, decisions[tool] ?? { type: "approve" }]);
      const command = { resume: { [interrupt]: Object.fromEntries(byId) } };
      await request(`threads/${thread}/runs/wait`, { assistant_id: agent, command });
    },
  };
  return client;
}

const kinds = {
  answered: ({ ask }) => ask("trips", questions.train),
  limit: ({ ask }) => ask("trips", questions.train).then((thread) => ask("trips", questions.nightTrain, thread)),
  story: ({ ask }) => ask("trips", questions.story),
  cut: ({ ask }) => ask("trips", questions.cut),
  async failedModel({ ask, newThread }) {
    const thread = await newThread();
    await ask("trips", questions.failed, thread).catch(() => undefined);
    return thread;
  },
  async refunded({ ask, decide }) {
    const thread = await ask("support", questions.broken);
    const reason = "The amount is from the mail, not from the order. Look at the order.";
    await decide("support", thread, { refund: { type: "refuse", reason } });
    const input = { order: 1042, amount: 44.95, reason: "one of two cups arrived broken", notify: "no" };
    await decide("support", thread, { refund: { type: "edit", input }, send_mail: { type: "approve" } });
    return thread;
  },
  retrieval: ({ ask }) => ask("library", questions.record).then((thread) => ask("library", questions.before, thread)),
  notFound: ({ ask }) => ask("library", questions.unknown),
  asked: ({ ask }) => ask("support", questions.askBack),
  copied: ({ ask }) => ask("support", questions.broken),
  waiting: ({ ask }) => ask("support", questions.twoCalls),
} satisfies Record<string, (client: Client) => Promise<string>>;

/** The kinds of threads. `asked`, `copied` (one call) and `waiting` (two calls) wait for a person. */
export type Kind = keyof typeof kinds;

/** Makes a thread of a kind. Returns its id. */
export function makeThread(url: string, kind: Kind, key?: string): Promise<string> {
  return kinds[kind](demoClient(url, key));
}

/** Makes a thread of each kind. Returns their ids. */
export async function makeThreads(url: string, key?: string): Promise<Record<Kind, string>> {
  const names = Object.keys(kinds) as Kind[];
  const ids = await Promise.all(names.map(async (kind) => [kind, await makeThread(url, kind, key)] as const));
  return Object.fromEntries(ids) as Record<Kind, string>;
}
