import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { chunk, startWireServer, streamed, type WireResponse } from "../../helpers/wire-server.js";
import { sample } from "../../matrix/matrix.js";
import { parseLines } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { hasTmux, inTmux } from "../screen-of-tmux.js";
import { scriptedServer } from "../scripted-server.js";

function optionsFor(url: string, db = "sqlite:t.db"): string[] {
  return ["--model", "m", "--base-url", url, "--tools", "none", "--db", db];
}

const begun = chunk({ role: "assistant", content: "It is" });
const extra = { detail: [{ type: "extra_forbidden", loc: ["body", "store"], msg: "Extra inputs are not permitted" }] };
const refusedField = { status: 422, body: JSON.stringify(extra) };
const silent = { body: "", silent: true };
const page = "<html><body><h1>502 Bad Gateway</h1></body></html>";

function refusal(status: number, message: string, code?: string): WireResponse {
  return { status, body: JSON.stringify({ error: { message, code } }), headers: { "retry-after": "0" } };
}

/** What a server does, what the person reads of it, and the options of the call. */
const misbehaviours: [string, WireResponse, string, string?][] = [
  ["refuses the key", refusal(401, "Incorrect API key"), "refused the API key (401). Check the key in OPENAI_API_KEY."],
  ["refuses the country", refusal(403, "Country not supported"), "(403): Country not supported. Use another key or"],
  ["knows no such model", refusal(404, "none"), "has no such model (404): none. Check the model's"],
  ["has no room", refusal(400, "maximum context length"), "longer than the model can read: maximum context length"],
  ["refuses a field", refusedField, "refused the request (422): body.store: Extra inputs are not permitted."],
  ["gets too many requests", refusal(429, "Slow"), "gets too many requests (429): Slow. Wait a little and ask again."],
  ["wants money", refusal(429, "No", "insufficient_quota"), "is used up (429): No. Check its plan and billing"],
  ["fails", refusal(500, "The server had an error"), "failed (500): The server had an error. Ask again later."],
  ["is a web page", { type: "text/html", body: page }, "answered with a web page. Check the base URL"],
  [
    "is a proxy's page",
    { status: 502, type: "text/html", body: page },
    "failed (502): it answered with a web page. Ask",
  ],
  ["sends garbage", { body: "\u0000\u001b[2J not json {{{" }, "not json {{{. Ask again. If"],
  ["sends a garbled stream", { body: `${begun}data: {oops\n\n` }, "a reply that cannot be read: {oops. Ask again. If"],
  ["hangs up in its reply", { body: begun, cut: true }, "broke off before the end of the reply. Ask again."],
  ["ends its reply early", { body: begun }, "broke off before the end of the reply. Ask again."],
  [
    "fails in its reply",
    { body: `${begun}data: {"error":{"message":"Down","code":502}}\n\n` },
    "failed (502): Down. Ask",
  ],
  ["says nothing", silent, "did not finish within 2 s. Ask again, or allow it more time (--timeout;", "--timeout=2"],
  [
    "says no first token",
    silent,
    "sent nothing within 1 s. Ask again, or allow it more time (--first-token-timeout;",
    "--first-token-timeout=1",
  ],
  [
    "falls silent in its reply",
    { body: begun, silent: true },
    "sent no more of its reply within 1 s. Ask again, or allow it more time (--token-timeout;",
    "--token-timeout=1",
  ],
];

describe.concurrent("a model's server at the command line that", () => {
  it.each(sample(misbehaviours))(
    "%s causes an error message and an event, and the thread is unharmed",
    async (_name, ...given) => {
      const [response, words, limit = "--timeout=60"] = given;
      await using folder = await workingFolder();
      await using bad = await startWireServer([response]);
      await using good = await scriptedServer(["It is 4.", "It is 6."]);
      const place = `sqlite:${folder.path}/t.db`;
      const options = ["--json", "-t", "t", limit, ...optionsFor(bad.url, place)];
      const asked = await runProgram(["ask", "What is 2 + 2?", ...options]);
      expect(asked.exitCode).toBe(1);
      const sentence = expect.stringContaining(words);
      expect(asked.stderr.split("\n").filter((line) => line.startsWith("error: "))).toEqual([sentence]);
      expect(asked.stderr).toMatch(
        /\nGo on with this turn: glassloop threads resume t --db \S+ --model \S+ --base-url \S+ --tools none --\S*timeout \d+\n$/,
      );
      expect(asked.stderr).not.toMatch(/^ +at |<html>|Could not parse/m);
      expect(stripVTControlCharacters(asked.stderr)).toBe(asked.stderr);
      const events = parseLines(asked.stdout);
      expect(events).toContainEqual(expect.objectContaining({ type: "error", name: "ModelError", message: sentence }));
      expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "failed" });

      const db = `--db=${place}`;
      const shown = await runProgram(["threads", "show", "t", db]);
      expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("What is 2 + 2?") });
      const again = ["--quiet", ...optionsFor(good.server.url, place)];
      const resumed = await runProgram(["threads", "resume", "t", ...again]);
      expect(resumed).toEqual({ exitCode: 0, stdout: "It is 4.\n", stderr: "" });
      const next = await runProgram(["ask", "And 3 + 3?", "-t", "t", ...again]);
      expect(next).toEqual({ exitCode: 0, stdout: "It is 6.\n", stderr: "" });
    },
  );
});

describe.runIf(hasTmux)("a model's server that fails twice, in a narrow terminal", () => {
  it("is reported in lines that stay, and its answer comes", async () => {
    await using folder = await workingFolder();
    const silent = { body: begun, silent: true };
    await using server = await startWireServer([refusal(503, "overloaded"), silent, streamed("It is 4.")]);
    const args = ["ask", ...optionsFor(server.url), "--token-timeout=1", "What is 2 + 2?"];
    await using terminal = await inTmux(args, { folder: folder.path, columns: 40 });
    await terminal.sees(/exit 0/);
    const shown = [
      "Note: second try in 1 s\\. The model's\n  server at \\S+\n  failed \\(503\\): overloaded\\.",
      "Answer: It is\n  \\(not the answer\\)",
      "Note: third try in 2 s\\. The model's\n  server at \\S+\n  sent no more of its reply within 1 s\\.",
      "Answer: It is 4\\.",
      "1 step · .* tokens",
      "exit 0",
    ];
    await terminal.sees(new RegExp(`\\n${shown.join("\\n")}`));
    expect(await terminal.cursor()).toBe("1");
  });
});

describe("a reply that ends early at the command line", () => {
  it.each<[string, WireResponse, number, string, string]>([
    ["at the token limit", streamed("It is", "length"), 0, "It is\n", "The token limit cut this answer off."],
    ["with a refusal", { body: `${chunk({ refusal: "I can't." })}${chunk({}, "stop")}` }, 0, "I can't.\n", ""],
    ["at a content filter", streamed("", "content_filter"), 1, "", "Filtered: I stopped without an answer"],
    ["before its first word", { body: "data: [DONE]\n\n" }, 1, "", "the model's last 3 replies could not be read."],
    ["before its first byte", { body: "" }, 1, "", "the model's last 3 replies could not be read."],
  ])("%s says so, with its exit code", async (_case, response, exitCode, stdout, stderr) => {
    await using folder = await workingFolder();
    await using server = await startWireServer([response]);
    const shown = await folder.runHere(["ask", "Well?", "--quiet", ...optionsFor(server.url)]);
    expect(shown).toMatchObject({ exitCode, stdout, stderr: expect.stringContaining(stderr) });
  });
});

describe("what a library prints", () => {
  // LangChain prints a warning to stdout for a piece of content that is a list.
  const response = { body: `${chunk({ role: "assistant", content: [{ type: "thinking" }] })}${streamed("4").body}` };

  it("goes to stderr, and stdout has only ours", async () => {
    await using folder = await workingFolder();
    await using server = await startWireServer([response]);
    const quiet = await folder.run(["Well?", "--quiet", ...optionsFor(server.url)], { entry: "start.js" });
    expect(quiet).toMatchObject({ exitCode: 0, stdout: "4\n", stderr: expect.stringContaining("[WARNING]") });
    const json = await folder.run(["ask", "Well?", "--json", ...optionsFor(server.url)]);
    expect(parseLines(json.stdout).at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
  });
});
