import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../../src/cli/main.js";
import type { ServerReply } from "../../helpers/openai-server.js";
import { fakeIo, runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

const answer = " Easy.\nFinal Answer: Four.";

/** A thread "demo" that a scripted model has answered once, in a database of its own. */
async function demoThread(replies: readonly ServerReply[], more: readonly string[] = []) {
  const folder = await workingFolder();
  const model = await scriptedServer(replies);
  const db = ["--db", `sqlite:${folder.path}/threads.db`];
  const first = await runProgram(["ask", "-t", "demo", ...db, ...model.options, ...more, squareRoot]);
  const run = (args: readonly string[], options: Parameters<typeof runProgram>[1] = {}) =>
    runProgram([...args, ...db], options);
  return {
    first,
    folder,
    model,
    db,
    run,
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe("a thread goes on with its settings", () => {
  test("with its model, its server, its tools and its limits, if nothing else is said", async () => {
    const more = ["--system", "You are a pirate.", "--temperature", "0.5", "--max-reply-tokens", "77", "--no-stream"];
    await using demo = await demoThread([...squareRootReplies, "Who?", answer], more);
    const second = await demo.run(["ask", "-t", "demo", "And whose?"]);
    expect(second).toMatchObject({ exitCode: 0, stdout: "Four.\n" });
    expect(second.stderr).not.toContain("Offline rules");
    const body = demo.model.server.requests.at(-1)?.body;
    expect(body).toMatchObject({ model: "scripted", temperature: 0.5, max_tokens: 77, stream: false });
    expect(JSON.stringify(body?.messages)).toContain("You are a pirate.");
    expect(JSON.stringify(body?.messages)).not.toContain("document_search");
  });

  test("when it is resumed, also after its model failed", async () => {
    await using demo = await demoThread([401, answer]);
    expect(demo.first.exitCode).toBe(1);
    expect(await demo.run(["threads", "resume", "demo"])).toMatchObject({ exitCode: 0, stdout: "Four.\n" });
  });

  test("unless an option says otherwise, which it keeps from then on", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, answer], ["--system", "Be brief."]);
    await demo.run(["ask", "-t", "demo", "--model", "other", "--system", "", "Who?"]);
    await demo.run(["ask", "-t", "demo", "--thread-settings", "use", "Who?"]);
    const models = demo.model.server.requests.map(({ body }) => body.model);
    expect(new Set(models.slice(0, 2))).toEqual(new Set(["scripted"]));
    expect(new Set(models.slice(2))).toEqual(new Set(["other"]));
    expect(JSON.stringify(demo.model.server.requests.at(0)?.body)).toContain("Be brief.");
    expect(JSON.stringify(demo.model.server.requests.at(-1)?.body)).not.toContain("Be brief.");
  });

  test("but not with its server for a model that has a provider, or with none of them if they are ignored", async () => {
    await using demo = await demoThread(squareRootReplies);
    for (const option of [
      ["--model", "offline"],
      ["--thread-settings", "ignore"],
    ]) {
      const result = await demo.run(["ask", "-t", "demo", ...option, "--protocol", "react", "What is 2 + 2?"]);
      expect(result.stderr).toContain("Offline rules answer here");
      expect(result.exitCode).toBe(0);
      await demo.run(["threads", "delete", "demo", "--yes"]);
    }
    expect(demo.model.server.requests).toHaveLength(2);
  });

  test("and not with the offline rules, if they only answered for want of a model", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([answer, answer]);
    const at = ["-t", "t", "--protocol", "react", "--db", `sqlite:${folder.path}/threads.db`];
    await runProgram(["ask", ...at, "What is 2 + 2?"]);
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.server.url };
    const { stderr } = await runProgram(["ask", ...at, "And 3 + 3?"], { env });
    expect(stderr).not.toContain("Offline");
    expect(model.server.requests[0]?.body.model).toBe("gpt-4o-mini");
    await runProgram(["ask", ...at, "--model", "offline", "What is 4 + 4?"]);
    const chosen = await runProgram(["ask", ...at, "What is 4 + 4?"], { env });
    expect(chosen.stderr).toContain("Give --model to use one.");
  });

  test("but asks nobody's servers and no tools of MCP, and never keeps that nobody is asked", async () => {
    await using demo = await demoThread([...squareRootReplies, ...squareRootReplies], ["--approve", "always"]);
    const { stdout } = await demo.run(["threads", "list", "--json"]);
    expect(JSON.parse(stdout).settings.values).toMatchObject({ model: "scripted", approve: "always" });
    await demo.run(["threads", "decide", "demo", "approve", "--approve", "never"]);
    const after = await demo.run(["threads", "list", "--json"]);
    expect(JSON.parse(after.stdout).settings.values).not.toHaveProperty("approve");
  });

  test("with its documents, from any folder", async () => {
    await using demo = await demoThread(squareRootReplies, ["--docs", "knowledge"]);
    const { stdout } = await demo.run(["threads", "list", "--json"]);
    expect(JSON.parse(stdout).settings.values.docs).toBe(resolve("knowledge"));
  });

  test("with the flow from documents to an answer", async () => {
    await using folder = await workingFolder();
    const at = ["-t", "docs", "--db", `sqlite:${folder.path}/threads.db`];
    const first = await runProgram(["ask", ...at, "--flow", "grade", "Who is the Rubik's cube named after?"]);
    expect(first.exitCode).toBe(0);
    expect(await runProgram(["ask", ...at, "What is the world record?"])).toMatchObject({ exitCode: 0 });
    const listed = await runProgram(["threads", "list", "--json", ...at.slice(2)]);
    expect(JSON.parse(listed.stdout).settings.values).toMatchObject({ retrieval: "true", flow: "grade" });
  });

  test("and a setting that cannot be is told with its place", async () => {
    await using demo = await demoThread(squareRootReplies);
    const { exitCode, stderr } = await demo.run(["ask", "-t", "demo", "Hi"], { env: { GLASSLOOP_MAX_STEPS: "many" } });
    expect([exitCode, stderr]).toEqual([2, "error: GLASSLOOP_MAX_STEPS: Give a whole number of at least 1.\n"]);
  });
});

describe("the key of the environment", () => {
  const env = { OPENAI_API_KEY: "sk-of-the-person" };

  test("goes to the address that a person typed, and not to one that only the thread names, which is told", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, answer, answer]);
    const keys = () => demo.model.server.requests.map(({ headers }) => headers.authorization).slice(2);
    const held = await demo.run(["ask", "-t", "demo", "--quiet", "Who?"], { env });
    expect(held.stderr).toBe(
      `Your key is not sent to ${demo.model.server.url}, as only the thread names it. Add --base-url ${demo.model.server.url} to send it.\n`,
    );
    expect(keys()).not.toContain("Bearer sk-of-the-person");
    await demo.run(["threads", "delete", "demo", "--yes"]);
    const count = keys().length;
    await demo.run(["ask", "-t", "demo", ...demo.model.options, "Who?"], { env });
    expect(keys().slice(count)).toEqual(["Bearer sk-of-the-person"]);
  });

  test.for(["OPENAI_BASE_URL", "GLASSLOOP_BASE_URL"])(
    "goes to the thread's address if %s names it",
    async (variable) => {
      await using demo = await demoThread([...squareRootReplies, answer, answer]);
      const { stderr } = await demo.run(["ask", "-t", "demo", "Who?"], {
        env: { ...env, [variable]: demo.model.server.url },
      });
      expect(stderr).not.toContain("Your key");
      expect(demo.model.server.requests.at(-1)?.headers.authorization).toBe("Bearer sk-of-the-person");
    },
  );

  test.for([
    [env, "", "Bearer none"],
    [{}, "OPENAI_API_KEY=sk-of-the-folder", "Bearer sk-of-the-folder"],
  ] as const)("does not go to the address of .env: %j and %j send %s", async ([variables, key, sent]) => {
    await using model = await scriptedServer([answer]);
    const dotEnv = () => `OPENAI_BASE_URL=${model.server.url}\n${key}`;
    const io = { ...fakeIo({ env: variables }), dotEnv };
    io.stdin.push(null);
    await main(["ask", "--db", "memory:", "--protocol", "react", "--model", "openai:m", "Who?"], io);
    expect(model.server.requests.at(-1)?.headers.authorization).toBe(sent);
    expect(io.stderr.text.includes(`not sent to ${model.server.url}, as only .env names it`)).toBe(
      sent === "Bearer none",
    );
  });

  test("does not go to the thread's address if only .env names it, too", async () => {
    await using demo = await demoThread([...squareRootReplies, answer]);
    const io = { ...fakeIo({ env }), dotEnv: () => `OPENAI_BASE_URL=${demo.model.server.url}` };
    io.stdin.push(null);
    await main(["ask", "-t", "demo", ...demo.db, "Who?"], io);
    expect(demo.model.server.requests.length).toBeGreaterThan(2);
    expect(demo.model.server.requests.at(-1)?.headers.authorization).toBe("Bearer none");
  });

  test("is not in what a thread keeps, and neither are keys in the address", async () => {
    await using folder = await workingFolder();
    const db = ["--db", `sqlite:${folder.path}/threads.db`];
    const address = "http://127.0.0.1:9/v1?api-key=hunter22&version=3";
    const servers = ["--base-url", address, "--embeddings", "openai:m", "--embeddings-url", address];
    await runProgram(["ask", "-t", "t", ...db, "--model", "m", ...servers, "--timeout", "1", "Hi"], { env });
    const { stdout } = await runProgram(["threads", "export", "t", ...db]);
    expect(stdout).toContain('"base-url":"http://127.0.0.1:9/v1?version=3"');
    expect(stdout).toContain('"embeddings-url":"http://127.0.0.1:9/v1?version=3"');
    expect(stdout).not.toMatch(/hunter22|sk-of-the-person/);
  });
});

describe("a thread is named", () => {
  test("by the beginning of its id in every command, if only one id begins so", async () => {
    await using demo = await demoThread([...squareRootReplies, answer]);
    expect((await demo.run(["threads", "show", "de", "--quiet"])).stdout).toContain("is 5");
    const [, checkpoint = ""] =
      /^ {2}([0-9a-f-]{36}) /m.exec((await demo.run(["threads", "show", "demo"])).stdout) ?? [];
    for (const id of ["copy", "depth"]) await demo.run(["threads", "fork", "demo", checkpoint, id]);
    const { exitCode, stderr } = await demo.run(["threads", "show", "de"]);
    expect([exitCode, stderr]).toEqual([
      2,
      'error: Several threads begin with "de": demo, depth. Give more of the id.\n',
    ]);
    expect((await demo.run(["threads", "show", ""])).exitCode).toBe(1);
  });

  test("by eight characters of an id that was made for it, while any other text starts a thread", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, "Who?", answer, answer]);
    const made = await demo.run(["ask", ...demo.model.options, "Who?"]);
    const [, id = ""] = /^Thread (\S+)$/m.exec(made.stderr) ?? [];
    const again = await demo.run(["ask", "-t", id.slice(0, 8), "And who?"]);
    expect(again.stderr).toContain(`Thread ${id}, 1 turn so far`);
    const other = await demo.run(["ask", "-t", "dem", ...demo.model.options, "Who?"]);
    expect(other.stderr).toMatch(/^Thread dem$/m);
  });

  test("by --continue: the one that was used last", async () => {
    await using demo = await demoThread([...squareRootReplies, "Who?", answer]);
    const { stderr } = await demo.run(["ask", "--continue", "Who?"]);
    expect(stderr).toContain("Thread demo, 1 turn so far");
    const none = await runProgram(["ask", "--continue", "--db", "memory:", "Who?"]);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Ask without --continue") });
    expect((await demo.run(["ask", "--continue", "-t", "demo", "Who?"])).exitCode).toBe(2);
    expect((await demo.run(["threads", "resume", "demo", "--continue"])).exitCode).toBe(2);
  });
});
