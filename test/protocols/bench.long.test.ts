import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../..", import.meta.url));
const script = fileURLToPath(new URL("../../bench/parse.mjs", import.meta.url));

function bench(args: readonly string[], typedIn = project) {
  return run(process.execPath, [script, ...args], { cwd: project, env: { ...process.env, INIT_CWD: typedIn } });
}

describe("the parsing bench", () => {
  it("measures files, each with the protocol of its name, relative to the working folder", async () => {
    const { stdout } = await bench(["react.jsonl", "self_ask.jsonl"], `${project}/test/fixtures/replies`);
    expect(stdout).toMatch(
      /^react\.jsonl \(react\): \d+ items, exact \d+ \([\d.]+ %\), asked again \d+ .+, silent \d+ .+\nself_ask\.jsonl \(self-ask\)/,
    );
    expect(stdout).toMatch(/\nall: \d+ items, exact \d+ \([\d.]+ %\), asked again .+, silent .+\n$/);
  });

  it("shows the replies that were parsed differently, with another protocol for all files", async () => {
    const { stdout } = await bench(["test/fixtures/replies/react.jsonl", "--protocol", "self-ask", "--show"]);
    expect(stdout).toContain("react.jsonl (self-ask)");
    expect(stdout).toMatch(/--- (?:asked|silent): [\s\S]+\nexpected .+\nread as {2}.+/);
  });

  it("says what is wrong with a command or a file", async () => {
    await expect(bench([])).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("usage") });
    await expect(bench(["nowhere.jsonl", "--protocol", "react"])).rejects.toMatchObject({ code: 2 });
    await expect(bench(["test/fixtures/replies/react.jsonl", "--protocol", "none"])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("structured-chat"),
    });
  });
});
