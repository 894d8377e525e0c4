import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "glassloop-examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const files = readdirSync("examples").filter((file) => file.endsWith(".ts"));

/** Runs an example, or what is no example, as a process of its own: no key, no settings of this machine. */
async function run(name: string, env: Record<string, string> = {}): Promise<string> {
  const options = { env: { PATH: process.env.PATH, TMPDIR: folder, TEMP: folder, NO_COLOR: "1", ...env } };
  const { stdout, stderr } = await execute(process.execPath, ["examples/run.mjs", name], options);
  expect(stderr).toBe("");
  return stdout;
}

/** What the examples print. */
const printed: Readonly<Record<string, string>> = {
  "01-ask": `calculator: "sqrt(25)" → 5
The square root of 25 is 5.
It is answered, after 2 model calls.
`,
  "02-stream": `→ document_search: "the record for solving a Rubik's cube"
← [1] rubiks-cube.md, World record for solving a Rubik's Cube
The world record time for solving a Rubik's Cube is 3.05 seconds, set by Xuanyi Geng of China in April 2025.
(answered, 64 tokens)
`,
  "03-threads": `1. What is the world record for solving a Rubik's cube?
   What is the world record for solving a Rubik's cube?
   The world record time for solving a Rubik's Cube is 3.05 seconds, set by Xuanyi Geng of China in April 2025.
2. Can a robot solve it faster?
   Can a robot solve a Rubik's cube faster?
   A robot can solve a Rubik's Cube faster than any human: the fastest time in which a robot has solved a Rubik's Cube is 0.103 seconds, by Purdubik's Cube in April 2025.
cubes: What is the world record for solving a Rubik's cube? (idle)
`,
  "04-own-tool": `Question: How much green tea is there?
Thought: I look it up.
Action: in_stock
Action Input: {"product":"green tea"}
Observation: in_stock failed with Error: There is no "green tea". Products: tea. Try another input or another way, or give the final answer with what you know.
Thought: So it is called tea.
Action: in_stock
Action Input: {"product":"tea"}
Observation: 12 packets
Final Answer: There are 12 packets of tea.
`,
  "05-own-protocol": `Question: What is 15% of 240?
Action: calculator
Action Input: 15% of 240
Observation: 36
Final Answer: 15% of 240 is 36.

The model was shown:
# calculator: Works out arithmetic. The input is one expression of numbers, such as (54-32)*5/9, 25^(1/2), sqrt(2) or 20% of 150.
# To answer, write "echo" and the answer.
# What is 15% of 240?
$ calculator 15% of 240
> 36
$
`,
  "06-approval": `refund {"order":7}? refund has effects outside of this conversation.
refund {"order":8}? refund has effects outside of this conversation.
→ Order 7 was refunded.
→ A person refused this call of refund: It is too old. The tool did not run. Do not make the same call again. Find another way, or give the final answer and say what was refused.
Order 7 was refunded. Order 8 is too old.
`,
  "07-time-travel": `Two turns:
  What is 6 times 7? 6 times 7 is 42. (8 checkpoints)
  What is 2 plus 2? 2 plus 2 is 4. (8 checkpoints)
The second question was changed:
  What is 6 times 7? 6 times 7 is 42. (8 checkpoints)
  What is 2 plus 3? 2 plus 3 is 5. (9 checkpoints)
  left in turn 2: 2 plus 2 is 4.
The state of that branch: What is 2 plus 2? 2 plus 2 is 4.
other-sums: 2 turns
sums: 2 turns
`,
  "08-structured-output": `Sent back: Its final answer is not right. It does not fit: "degrees": Invalid input: expected number, received string. Its form must be: {"city": string, "degrees": number, "sky": "clear" | "cloudy"}.
{ city: 'Leeds', degrees: 13.5, sky: 'cloudy' }
Leeds: 56.3 °F
`,
  "09-local-model-server": `POST /v1/chat/completions
POST /v1/chat/completions
Question: What is 6 times 7?
Thought: I work it out.
Action: calculator
Action Input: 6*7
Observation: 42
Thought: I now know the final answer.
Final Answer: 6 times 7 is 42.
`,
  "10-agent-in-a-graph": `human: What is 12 * 12?
reckoner: I need the calculator.
calculator: 144
reckoner: 12 * 12 is 144.
human: Who are you?
ai: I only do sums.
`,
  "11-hand-over": `human: What do three packets of tea cost?
welcome: That is for sales.
to_sales: to_sales has run.
sales: (a call)
calculator: 13.5
sales: Three packets cost 13.50.
`,
  "12-mcp-server": `price: Tells a price.
Question: What does tea cost?
Action: price
Action Input: {"product":"tea"}
Observation: tea: 4.50
Final Answer: A packet of tea costs 4.50.
`,
  "14-documents": `Oolong was first made in the Wuyi Mountains of China [1]. (answered)
[1] Oolong, oolong.md
I found nothing that answers this question. I searched: documents ("Who was the first emperor of Rome?", "the first emperor of Rome"). (not-found)
`,
  "15-kill-and-resume": `→ price
← 30 dollars
→ pay
  the bank has the money, and is slow to say so
← paid
→ payments
← order 7: 30 dollars
Order 7 is paid, once.
`,
  "16-serve": `The thread is interrupted: a person decides about the call.
15% of 240 is 36.
`,
};

describe("the example", () => {
  it.concurrent.for(Object.entries(printed))("%s prints what it shows", async ([name, text], { expect }) => {
    expect(await run(name)).toBe(text);
  });

  it("13-server-client prints a clear error when no server answers", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    await new Promise((resolve) => server.close(resolve));
    const SERVER = `http://127.0.0.1:${address.port}`;
    await expect(run("13-server-client", { SERVER })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`^No LangGraph server answers at ${SERVER}\\. Start one with npm run dev`),
    });
  });

  it.each(["", "nonsense", "01-ask.t"])("named %j does not exist, and the list is shown", async (name) => {
    const shown = expect.stringContaining(`npm run example 01-ask:\n${files.join("\n")}\n`);
    await expect(run(name)).rejects.toMatchObject({ code: 2, stderr: shown });
  });
});

describe("the examples", () => {
  it("are all tested here", () => {
    expect([...Object.keys(printed), "13-server-client"].map((name) => `${name}.ts`).sort()).toEqual(files);
  });

  it.each(files)("%s is short, and begins with a sentence on its idea", (file) => {
    const lines = readFileSync(`examples/${file}`, "utf8").split("\n");
    expect(lines.length).toBeLessThan(40);
    expect(lines[0]).toMatch(/^\/\/ [A-Z][^:]+: .+\.$/);
  });

  it("are listed in their README", () => {
    const rows = [
      ...readFileSync("examples/README.md", "utf8").matchAll(/^\| \[([\w-]+)\]\(([\w-]+\.ts)\) \| .+ \|$/gm),
    ];
    expect(rows.map(([, name, file]) => [`${name}.ts`, file])).toEqual(files.map((file) => [file, file]));
  });
});
