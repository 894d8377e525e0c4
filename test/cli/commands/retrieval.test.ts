import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer } from "../scripted-server.js";

async function folderWithDocuments() {
  const folder = await workingFolder();
  await mkdir(join(folder.path, "docs"));
  await writeFile(join(folder.path, "docs", "ann.md"), "# Ann\n\nAnn founded the company in 1999.\n");
  return folder;
}

/** The options of a program that works in the folder. */
const keptIn = ({ path }: { readonly path: string }) => ["--docs", join(path, "docs"), "--db", `sqlite:${path}/t.db`];

describe("glassloop ask --retrieval", () => {
  test("answers from the documents, and cites them", async () => {
    await using folder = await folderWithDocuments();
    await using model = await scriptedServer(["1", "In 1999 [1][4]."]);
    // A retrieval agent has a protocol and tools of its own.
    const question = ["--retrieval", "When was the company founded?"];
    const asked = ["ask", ...model.options.slice(0, 4), ...keptIn(folder), "-t", "t", ...question];
    const { exitCode, stdout, stderr } = await runProgram(asked);
    expect(stdout).toBe("In 1999 [1][4].\n");
    expect(stderr.split("\n")).toEqual([
      "Thread t",
      "Search (documents): When was the company founded?: 1 passage",
      "Grade: 1 of 1 passages help.",
      "No source has the number [4].",
      "[1] Ann, ann.md",
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(model.server.prompts().at(-1)).toContain("[1] Ann\nAnn founded the company in 1999.");
    const shown = await runProgram(["threads", "show", "t", "--prompts", ...keptIn(folder).slice(2)]);
    expect(shown.stdout).toContain(
      "Turn 1, as it was sent\nPrompt to scripted:\n[system] Answer the question from the passages.",
    );
    expect(shown.stdout).not.toContain("not surely");
  });

  test("follows --flow, and prints events", async () => {
    await using folder = await folderWithDocuments();
    await using model = await scriptedServer(["founding of the company", "In 1999 [1].", "YES"]);
    const flow = ["--flow", "step-back,check", "--json"];
    const { stdout } = await runProgram(["ask", ...model.options.slice(0, 4), ...keptIn(folder), ...flow, "When?"]);
    const events = parseEvents(stdout);
    expect(events.filter(({ type }) => type === "search")).toMatchObject([
      { query: "When?", found: 0 },
      { query: "founding of the company", found: 1 },
    ]);
    expect(events.find(({ type }) => type === "check")).toMatchObject({ complaint: "" });
    const sources = [{ number: 1, title: "Ann", address: "ann.md" }];
    expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: "In 1999 [1].", sources });
  });

  test("says what was searched if nothing is found, and answers offline", async () => {
    await using folder = await folderWithDocuments();
    const offline = ["-m", "offline", ...keptIn(folder), "--retrieval"];
    const { exitCode, stdout } = await runProgram(["ask", ...offline, "Who is Zoe?"]);
    expect(stdout).toMatch(/^I found nothing that answers this question\. I searched: documents \("Who is Zoe\?"/);
    expect(exitCode).toBe(0);
  });
});

describe("the options of --retrieval", () => {
  test.each([
    [["--flow", "bogus"], '"bogus" is no part of a flow. Give some of stuff,map-reduce'],
    [["--flow", "stuff,refine"], '"refine" is one too many: give one of stuff, map-reduce, refine, map-rerank.'],
    [["--retrieval", "--tools", "web"], "option '--retrieval' cannot be used with option '--tools <names>'"],
    [["--retrieval", "--docs", "nowhere"], '--docs: there is no folder "nowhere".'],
  ])("%j is refused in a sentence", async (options, message) => {
    const { exitCode, stderr } = await runProgram(["ask", "--db", "memory:", ...options, "Who?"]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
