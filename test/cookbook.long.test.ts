import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { type ServerReply, startOpenAIServer } from "./helpers/openai-server.js";
import { snippetsOf, UserFolder } from "./helpers/snippets.js";

const snippets = snippetsOf("docs/cookbook.md");
const calls = (name: string, args: Record<string, unknown>): ServerReply => ({ toolCalls: [{ name, args }] });

/** The first bytes of a picture. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

interface Recipe {
  readonly heading: string;
  /** The replies of the server that stands in for the model. */
  readonly replies: readonly ServerReply[];
  /** What a test adds to the last program, to call what it exports. */
  readonly use?: string;
  readonly printed: string;
}

/** The recipes that run in one process. Those of two are below. */
const recipes: readonly Recipe[] = [
  {
    heading: "A web route",
    replies: ["It is four."],
    use: `const request = new Request("http://localhost", { method: "POST", body: JSON.stringify({ chat: "c", question: "2+2?" }) });
      const lines = (await (await POST(request)).text()).trim().split("\\n").map((line) => JSON.parse(line));
      console.log(lines[0].type, lines.find(({ type }) => type === "answer").text, lines.at(-1).type);`,
    printed: "turn-start It is four. turn-end\n",
  },
  {
    heading: "A queue worker",
    replies: [{ status: 400, message: "away" }, "It is four.", "It is six."],
    use: `const job = { id: "job-1", question: "2+2?" };
      console.log(await work(job).catch(({ code }) => code));
      console.log(await work(job));
      console.log(await work(job));
      const drain = (name) => name === "SIGTERM" && queueMicrotask(() => process.emit(name, name));
      process.on("newListener", drain);
      const other = { id: "job-2", question: "3+3?" };
      console.log(await work(other).catch(({ name }) => name));
      process.off("newListener", drain);
      console.log(await work(other));
      const { values } = await agent.getState({ configurable: { thread_id: other.id } });
      console.log(values.messages.map(({ text }) => text));`,
    printed: "model-failed\nIt is four.\nIt is four.\nGraphDrained\nIt is six.\n[ '3+3?', 'It is six.' ]\n",
  },
  {
    heading: "Many users",
    replies: [calls("orders", {}), "You ordered tea.", calls("orders", {}), "You ordered coffee."],
    use: `console.log(await ask("bob", "1", "And I?"));`,
    printed: "You ordered tea.\nYou ordered coffee.\n",
  },
  {
    heading: "A local model",
    replies: [
      { status: 400, message: "llama3.2 does not support tools" },
      " I calculate.\nAction: calculator\nAction Input: 15% of 240",
      " So.\nFinal Answer: It is 36.",
    ],
    printed: "It is 36.\n",
  },
  {
    heading: "A budget for each turn",
    replies: [
      calls("calculator", { expression: "6*7" }),
      calls("calculator", { expression: "42^2" }),
      "42 and 1764. I did not come to the third.",
      calls("calculator", { expression: "1764^2" }),
      "42, 1764 and 3111696.",
    ],
    printed: "model-call-limit 42 and 1764. I did not come to the third.\nanswered 42, 1764 and 3111696. 5\n",
  },
  {
    heading: "Answer again, edit, fork",
    replies: ["An oak.", "A beech.", "A wren.", "A carp."],
    printed: "A beech.\nA wren.\n[ 'Name a bird.', 'A wren.', 'And a fish?', 'A carp.' ]\n",
  },
  {
    heading: "A graph of your own",
    replies: ["At sea.", "In Rome.", "In Bonn."],
    printed: "[ 'desk' ] At sea.\nother\nIn Rome.\n[ 'Where is my coffee?', 'In Bonn.' ]\n",
  },
  {
    heading: "An answer from documents, as data",
    replies: [calls("document_search", { query: "days of leave" }), '{ "days": 28, "text": "28 days [1]." }'],
    printed: "28 [ [ 1, 'leave.md' ] ]\n",
  },
  { heading: "A picture in a question", replies: ["A cat."], printed: "A cat.\n" },
  {
    heading: "An answer as data",
    replies: [
      '{ "number": "2026-7", "total": 13.5, "currency": "euros" }',
      '{ "number": "2026-7", "total": 13.5, "currency": "EUR" }',
    ],
    printed: "2026-7 13.5 EUR\n",
  },
  {
    heading: "An agent as a tool of another",
    replies: [
      calls("reckoner", { question: "What is 3 * 4.50?" }),
      calls("calculator", { expression: "3 * 4.50" }),
      "13.50",
      "They cost 13.50.",
    ],
    printed:
      "reckoner { question: 'What is 3 * 4.50?' }\nreckoner > calculator { expression: '3 * 4.50' }\nThey cost 13.50.\n",
  },
  {
    heading: "Another model when one fails",
    replies: [503, "Hello."],
    printed: "gpt-4o failed, so gpt-4o-mini is asked.\nHello.\n",
  },
];

const folder = new UserFolder();
afterAll(() => folder[Symbol.dispose]());

/** Writes the programs of a recipe into a folder of its own. Returns the path of the last one. */
function write(heading: string, url: string, use = ""): string {
  const programs = snippets.filter((snippet) => snippet.heading === heading);
  const paths = programs.map(({ file = "", code }, index) => {
    const text = code.replace("http://127.0.0.1:11434/v1", url) + (index === programs.length - 1 ? use : "");
    return folder.write(`${heading}/${file}`, text);
  });
  return paths.at(-1) ?? "";
}

it("the cookbook has programs that run", async () => {
  folder.write("A picture in a question/cat.png", png);
  folder.write("An answer from documents, as data/handbook/leave.md", "Everyone has 28 days of leave.");
  const programs = recipes.map(({ heading, replies, use }) => ({
    replies,
    write: (url: string) => write(heading, url, use),
  }));
  const { printed, requests } = await folder.runWithModels(programs);
  for (const [n, { heading, replies, ...recipe }] of recipes.entries()) {
    expect([printed[n], requests[n]?.length], heading).toEqual([recipe.printed, replies.length]);
  }
  const [picture] = requests[recipes.findIndex(({ heading }) => heading === "A picture in a question")] ?? [];
  expect(JSON.stringify(picture?.body.messages)).toContain(png.toString("base64"));
});

it("the cookbook's call is approved from another process, and its turn is resumed after a crash", async () => {
  await using refunds = await startOpenAIServer([calls("refund", { order: 7 }), "It is done."]);
  await using charges = await startOpenAIServer([calls("charge", { euros: 5 }), "It is paid."]);
  const approve = { path: write("Approve a call from another process", refunds.url), url: refunds.url };
  const start = { path: write("Go on after a crash", charges.url), url: charges.url };
  const ask = { ...approve, path: approve.path.replace("approve.mjs", "ask.mjs") };
  const charge = { ...start, path: start.path.replace("start.mjs", "charge.mjs"), env: { CRASH: "1" } };
  await expect(folder.run(ask, charge)).rejects.toMatchObject({ signal: "SIGKILL" });
  expect([refunds.requests, charges.requests].map(({ length }) => length)).toEqual([1, 1]);
  expect(await folder.run(approve, start)).toEqual(["refund { order: 7 }\nIt is done.\n", "t1 It is paid.\n"]);
});

it("the cookbook's test passes", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [write("A test without a model", "")]);
  expect(stdout).toMatch(/pass 1\n/);
});

it("the cookbook has fifteen recipes, each with short programs", () => {
  expect(new Set(snippets.map(({ heading }) => heading)).size).toBe(15);
  for (const { code, file } of snippets) expect([file, code.split("\n").length <= 25]).toEqual([file, true]);
});
