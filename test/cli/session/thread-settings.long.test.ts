import { describe, expect, test } from "vitest";
import { parseLines } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { modelAndDatabase, type scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";
import { atTerminal } from "../terminal.js";
import { naming } from "../waiting-id.js";

const answer = " Easy.\nFinal Answer: Four.";
const [action = ""] = squareRootReplies;

/** A thread "demo" that a scripted model has answered once, in a database of its own. */
async function demoThread(replies: Parameters<typeof scriptedServer>[0], more: readonly string[] = []) {
  const at = await modelAndDatabase(replies);
  const first = await at.run(["ask", "-t", "demo", ...at.model.options, ...more, squareRoot]);
  return {
    ...at,
    first,
    /** Returns what the thread keeps of the command line. */
    async kept(thread = "demo"): Promise<unknown> {
      const { stdout } = await at.run(["threads", "list", "--json"]);
      return parseLines(stdout).find((row) => row.thread === thread).settings;
    },
  };
}

describe("a thread goes on", () => {
  test("with its model and its protocol, and names the options that it had and that are missing now", async () => {
    const more = ["--system", "You are a pirate.", "--temperature", "0.5", "--no-stream"];
    await using demo = await demoThread([...squareRootReplies, "Who?", answer, "Who?", answer], more);
    const second = await demo.run(["ask", "-t", "demo", ...demo.server, "And whose?"]);
    expect(second).toMatchObject({ exitCode: 0, stdout: "Four.\n" });
    expect(second.stderr).not.toContain("Offline rules");
    expect(second.stderr).toContain(
      "This thread was made with --tools and --system; they are not given now.\nThread demo, 1 turn so far",
    );
    const body = demo.model.server.requests.at(-1)?.body;
    expect(body).toMatchObject({ model: "scripted", stream: true });
    expect(body).not.toHaveProperty("temperature");
    expect(JSON.stringify(body?.messages)).not.toContain("You are a pirate.");
    const quiet = await demo.run(["ask", "-t", "demo", "--quiet", ...demo.server, "And whose?"]);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("and names missing options on each turn, until an empty text removes them, and keeps other options", async () => {
    await using demo = await demoThread((_, index) => squareRootReplies[index] ?? answer, ["--system", "Hi."]);
    const ask = (...more: readonly string[]) =>
      demo.run(["ask", "-t", "demo", ...demo.server, "--tools", "calculator", ...more, "Who?"]);
    const told = "This thread was made with --system; it is not given now.";
    expect((await ask()).stderr).toContain(told);
    expect((await ask()).stderr).toContain(told);
    const before = demo.model.server.requests.length;
    expect((await ask("--system", "", "--model", "other")).stderr).not.toContain("was made with");
    expect((await ask()).stderr).not.toContain("was made with");
    const models = demo.model.server.requests.map(({ body }) => body.model);
    expect(new Set(models.slice(0, before))).toEqual(new Set(["scripted"]));
    expect(new Set(models.slice(before))).toEqual(new Set(["other"]));
  });

  test("with its model at the server that is typed or configured, and is refused without a server", async () => {
    await using demo = await demoThread([...squareRootReplies, answer], ["--model", "openai:scripted"]);
    const env = { OPENAI_API_KEY: "sk-of-the-person" };
    const refused = await demo.run(["ask", "-t", "demo", "Who?"], { env });
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toBe(
      "error: This thread was made with --base-url, the server of openai:scripted. No thread keeps that: give it again, or another --model.\n",
    );
    expect(demo.model.server.requests).toHaveLength(2);
    const configured = { ...env, GLASSLOOP_BASE_URL: demo.model.server.url };
    await demo.run(["ask", "-t", "demo", "Who?"], { env: configured });
    expect(demo.model.server.requests[2]?.headers.authorization).toBe("Bearer sk-of-the-person");
    const offline = await demo.run(["ask", "-t", "demo", "--model", "offline", "What is 2 + 2?"]);
    expect(offline.stderr).toContain("Offline rules answer here");
  });

  test("and not with the offline rules, if these only stood in for a missing model", async () => {
    await using at = await modelAndDatabase([answer, answer]);
    const ask = ["ask", "-t", "t", "--protocol", "react"];
    await at.run([...ask, "What is 2 + 2?"]);
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: at.model.server.url };
    const { stderr } = await at.run([...ask, "And 3 + 3?"], { env });
    expect(stderr).not.toContain("Offline");
    expect(at.model.server.requests[0]?.body.model).toBe("gpt-4o-mini");
    await at.run([...ask, "--model", "offline", "What is 4 + 4?"]);
    const chosen = await at.run([...ask, "What is 4 + 4?"], { env });
    expect(chosen.stderr).toContain("Give --model to use one.");
  });
});

describe("an unfinished turn keeps its limits", () => {
  const limited = ["--approve", "always", "--max-steps", "1"];

  test("when a decision resumes it, unless options change them, and the next turn has its own limits", async () => {
    await using demo = await demoThread(() => action, limited);
    expect(demo.first.exitCode).toBe(3);
    expect(await demo.kept()).toMatchObject({ "max-steps": "1" });
    const approve = ["threads", "decide", "demo", "approve", ...demo.server];
    const decided = await demo.run([...approve, ...naming(demo.first.stderr), "--json"]);
    expect(decided.stdout).toContain('"stopReason":"step-limit"');
    const next = await demo.run(["ask", "-t", "demo", ...demo.server, "--max-steps", "1", "And whose?"]);
    expect(next.exitCode).toBe(3);
    expect((await demo.run([...approve, ...naming(next.stderr), "--max-steps", "2"])).exitCode).toBe(3);
    await demo.run(["ask", "-t", "demo", ...demo.server, "And whose?"]);
    expect(await demo.kept()).not.toHaveProperty("max-steps");
  });

  test("in a chat, whose next turns do not have these limits", async () => {
    await using demo = await demoThread(() => action, limited);
    const chat = atTerminal(["chat", "-t", "demo", ...demo.db, ...demo.server]);
    await chat.type("ap\r", "answer? ");
    await chat.enter("And whose?");
    await chat.type("ap\r", "answer? ");
    await chat.type("\u0003", "answer? ");
    expect(await chat.ended).toBe(3);
    expect(await demo.kept()).not.toHaveProperty("max-steps");
  });
});

describe("a chat", () => {
  test("keeps its options in a copy and on another thread with its model, and leaves other threads their server", async () => {
    await using demo = await demoThread([...squareRootReplies, ...squareRootReplies, "Who?", answer, "Who?", answer]);
    await demo.run(["ask", "-t", "other", ...demo.model.options, "--model", "another", squareRoot]);
    const chat = atTerminal(["chat", "-t", "demo", ...demo.db, ...demo.model.options]);
    await chat.enter("/system Be kind.", "System: Be kind.");
    await chat.enter("/fork copy", "Thread copy, a copy of demo");
    await chat.enter("And now?", "Answer: Four.");
    expect(JSON.stringify(demo.model.server.requests.at(-1)?.body)).toContain("Be kind.");
    await chat.enter("/threads other");
    await expect.poll(() => chat.io.stderr.text).toContain("with --base-url, the server of another. No thread keeps");
    await chat.enter("/threads demo", "Thread demo: What is the square root");
    await chat.enter("And now?", "Answer: Four.");
    expect(await chat.leave()).toBe(0);
    expect(demo.model.server.requests.at(-1)?.body).toMatchObject({ model: "scripted" });
    expect(await demo.kept("copy")).toMatchObject({ given: "base-url tools system" });
  });

  test("uses the model of another thread, and says with which options that thread was made", async () => {
    await using demo = await demoThread([...squareRootReplies, "Who?", answer]);
    await demo.run(["ask", "-t", "other", "--model", "offline", "--docs", "knowledge", "What is 2 + 2?"]);
    const chat = atTerminal(["chat", "-t", "demo", ...demo.db, ...demo.model.options]);
    await chat.enter("/threads other", "Thread other: What is 2 + 2?");
    await chat.enter("/model", "Model: offline");
    expect(await chat.leave()).toBe(0);
    expect(chat.io.stderr.text).toContain("This thread was made with --docs; it is not given now.");
  });
});

describe("approvals can only get stricter", () => {
  const sentence = (policy: string) =>
    `error: --approve: This thread was made with --approve ${policy}, which can only get stricter. Leave the option out, or begin another thread.\n`;

  test("so a thread with always still asks in a pipe, and --approve never is refused", async () => {
    await using at = await modelAndDatabase([...squareRootReplies, "Whose?", action]);
    const { options, server } = at.model;
    const begun = await at.run(["ask", "-t", "demo", ...options, "--approve", "always", squareRoot]);
    expect(begun).toMatchObject({ exitCode: 3, stdout: "" });
    const approve = ["threads", "decide", "demo", "approve", ...options];
    await at.run([...approve, ...naming(begun.stderr)]);
    for (const looser of ["never", "effects"]) {
      const refused = await at.run(["ask", "-t", "demo", ...options, "--approve", looser, squareRoot]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "", stderr: sentence("always") });
    }
    expect(server.requests).toHaveLength(2);
    const piped = { input: squareRoot, env: { GLASSLOOP_APPROVE: "never" } };
    const asked = await at.run(["ask", "-t", "demo", ...options, "--quiet"], piped);
    expect(asked).toMatchObject({ exitCode: 3, stdout: "" });
    expect(asked.stderr).toContain("The thread waits for a person. Decide with:");
    const decided = await at.run([...approve, "--approve", "never"]);
    expect(decided).toMatchObject({ exitCode: 2, stderr: sentence("always") });
    const { stdout } = await at.run(["threads", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "waiting", turns: 2, settings: { approve: "always" } });
  });

  test("in a chat of a pipe, too, and the policy of the environment or the config file is used, and kept, if it is stricter", async () => {
    await using demo = await demoThread([...squareRootReplies, "Whose?", action], ["--approve", "effects"]);
    expect(demo.first.exitCode).toBe(0);
    const chat = ["chat", "-t", "demo", ...demo.model.options];
    const looser = await demo.run([...chat, "--approve", "never"], { input: "Hi\n" });
    expect(looser).toMatchObject({ exitCode: 2, stderr: sentence("effects") });
    const env = { GLASSLOOP_APPROVE: "always" };
    expect(await demo.run(chat, { input: `${squareRoot}\n`, env })).toMatchObject({ exitCode: 3 });
    expect(await demo.kept()).toMatchObject({ approve: "always" });
    const later = await demo.run(["ask", "-t", "demo", ...demo.model.options, "--approve", "effects", "Hi"]);
    expect(later).toMatchObject({ exitCode: 2, stderr: sentence("always") });
  });
});

describe("the key of the environment", () => {
  const env = { OPENAI_API_KEY: "sk-of-the-person" };

  test("does not go to the address that only .env names for the model of a thread", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, answer], ["--model", "openai:scripted"]);
    const dotEnv = () => `OPENAI_BASE_URL=${demo.model.server.url}`;
    const { stderr } = await demo.run(["ask", "-t", "demo", "Who?"], { env, dotEnv });
    expect(demo.model.server.requests.length).toBeGreaterThan(2);
    expect(demo.model.server.requests.at(-1)?.headers.authorization).toBe("Bearer none");
    expect(stderr).toContain(`Your key is not sent to ${demo.model.server.url}, as only .env names it.`);
  });

  test("is not kept with the thread, and neither are addresses, folders and instructions", async () => {
    await using folder = await workingFolder();
    const db = ["--db", `sqlite:${folder.path}/threads.db`];
    const address = "http://127.0.0.1:9/v1?api-key=hunter22&version=3";
    const servers = ["--base-url", address, "--embeddings", "openai:m", "--embeddings-url", address];
    const others = ["--docs", "knowledge", "--system", "Hunter rules.", "--timeout", "1", "--approve", "never"];
    await runProgram(["ask", "-t", "t", ...db, "--model", "m", ...servers, ...others, "Hi"], { env });
    const { stdout } = await runProgram(["threads", "list", "--json", ...db]);
    expect(JSON.parse(stdout).settings).toEqual({
      model: "m",
      given: "base-url docs embeddings embeddings-url system",
    });
    const exported = await runProgram(["threads", "export", "t", ...db]);
    expect(exported.stdout).toContain('"given"');
    expect(exported.stdout.split("\n")[0]).not.toMatch(/hunter|sk-of-the-person|127\.0\.0\.1|knowledge/i);
  });
});

describe("a thread is named", () => {
  test("by the beginning of its id in every command, if only one id begins so", async () => {
    await using demo = await demoThread([...squareRootReplies, answer]);
    expect((await demo.run(["threads", "show", "de", "--quiet"])).stdout).toContain("is 5");
    await demo.run(["ask", "-t", "depth", "--model", "offline", "What is 2 + 2?"]);
    const { exitCode, stderr } = await demo.run(["threads", "show", "de"]);
    expect([exitCode, stderr]).toEqual([
      2,
      'error: Several threads begin with "de": demo, depth. Give more of the id.\n',
    ]);
    expect((await demo.run(["threads", "show", ""])).exitCode).toBe(1);
  });

  test("by eight characters of a generated id, while any other text starts a new thread", async () => {
    await using demo = await demoThread([...squareRootReplies, answer, "Who?", answer, answer]);
    const made = await demo.run(["ask", ...demo.model.options, "Who?"]);
    const [, id = ""] = /^Thread (\S+)$/m.exec(made.stderr) ?? [];
    const again = await demo.run(["ask", "-t", id.slice(0, 8), ...demo.server, "And who?"]);
    expect(again.stderr).toContain(`Thread ${id}, 1 turn so far`);
    const other = await demo.run(["ask", "-t", "dem", ...demo.model.options, "Who?"]);
    expect(other.stderr).toMatch(/^Thread dem$/m);
  });

  test("by --continue: the one that was used last", async () => {
    await using demo = await demoThread([...squareRootReplies, "Who?", answer]);
    const { stderr } = await demo.run(["ask", "--continue", ...demo.server, "Who?"]);
    expect(stderr).toContain("Thread demo, 1 turn so far");
    const none = await runProgram(["ask", "--continue", "--db", "memory:", "Who?"]);
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Ask without --continue") });
    expect((await demo.run(["ask", "--continue", "-t", "demo", "Who?"])).exitCode).toBe(2);
    expect((await demo.run(["threads", "resume", "demo", "--continue"])).exitCode).toBe(2);
  });
});
