import { describe, expect, it } from "vitest";
import { chunk, startWireServer, streamed, type WireResponse } from "../../helpers/wire-server.js";
import { workingFolder } from "../run-cli.js";

function optionsFor(url: string): string[] {
  return ["--model", "m", "--base-url", url, "--tools", "none", "--db", "sqlite:t.db"];
}

function eventsIn(stdout: string): unknown[] {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const begun = chunk({ role: "assistant", content: "It is" });
const extra = { detail: [{ type: "extra_forbidden", loc: ["body", "store"], msg: "Extra inputs are not permitted" }] };

describe("an error of the model's server at the command line", () => {
  it.each<[string, WireResponse, string]>([
    ["of a garbled stream", { body: `${begun}data: {oops\n\n` }, "sent a reply that cannot be read: {oops. Ask again"],
    ["without the key error", { status: 422, body: JSON.stringify(extra) }, "Extra inputs are not permitted"],
  ])("%s is a sentence on stderr and an event, ends with 1, and the thread goes on", async (_case, failure, words) => {
    await using folder = await workingFolder();
    await using server = await startWireServer([failure, streamed("It is 4.")]);
    const options = optionsFor(server.url);
    const asked = await folder.run(["ask", "What is 2 + 2?", "--json", "--thread", "t", ...options]);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toMatch(/^error: [^\n]+\n$/m);
    expect(asked.stderr).toContain(words);
    expect(asked.stderr).not.toMatch(/^ +at |Could not parse/m);
    const events = eventsIn(asked.stdout);
    const message = expect.stringContaining(words);
    expect(events).toContainEqual(expect.objectContaining({ type: "error", name: "ModelError", message }));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "failed" });
    const resumed = await folder.run(["threads", "resume", "t", "--quiet", ...options]);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "It is 4.\n" });
  });
});

describe("a reply that ends early at the command line", () => {
  it.each<[string, WireResponse, number, string, string]>([
    ["at the token limit", streamed("It is", "length"), 0, "It is\n", "The token limit cut this answer off."],
    ["with a refusal", { body: `${chunk({ refusal: "I can't." })}${chunk({}, "stop")}` }, 0, "I can't.\n", ""],
    ["at a content filter", streamed("", "content_filter"), 1, "", "Filtered: I stopped without an answer"],
  ])("%s says so, with its exit code", async (_case, response, exitCode, stdout, stderr) => {
    await using folder = await workingFolder();
    await using server = await startWireServer([response]);
    const shown = await folder.run(["ask", "Well?", "--quiet", ...optionsFor(server.url)]);
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
    expect(eventsIn(json.stdout).at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
  });
});
