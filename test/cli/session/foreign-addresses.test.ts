import { chmod, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { foreignDatabase } from "../../../src/cli/program/addresses.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { folderWith, runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";

afterEach(() => vi.unstubAllEnvs());

/** Runs `glassloop` in a folder with a file `.env`. The variables are those of the process, too. */
async function runWith(dotEnv: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { exitCode, stderr } = await runProgram(args, { env, fileInFolder: folderWith({ ".env": dotEnv }) });
  return { exitCode, stderr: stderr.replaceAll("\n", " ") };
}

/** The bytes with which a Postgres server asks for a password, in the ways that it has. */
const ways = {
  "in plain text": Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]),
  "as MD5": Buffer.from([82, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]),
  "by SCRAM": Buffer.concat([Buffer.from([82, 0, 0, 0, 23, 0, 0, 0, 10]), Buffer.from("SCRAM-SHA-256\0\0", "latin1")]),
};

/** Starts a server that asks for a password, and keeps what comes after that. */
async function startAskingServer(asked: Buffer) {
  const got: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(asked);
      socket.on("data", (bytes) => {
        got.push(bytes.toString("latin1"));
        socket.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    at: `127.0.0.1:${address.port}/db`,
    got,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe("a database that only .env names", () => {
  const commands = [
    ["threads", "list"],
    ["ask", "--model", "offline", "Hi?"],
    ["chat", "--model", "offline"],
  ];

  test.for(Object.entries(ways))("gets no password that is asked for %s", async ([, asked]) => {
    await using server = await startAskingServer(asked);
    await using folder = await workingFolder();
    const passwords = join(folder.path, "passwords");
    await writeFile(passwords, "*:*:*:*:password-of-a-file\n");
    await chmod(passwords, 0o600);
    const sources: Record<string, string>[] = [
      { PGPASSWORD: "password-of-the-shell" },
      { PGPASSWORD: "", PGPASSFILE: passwords },
    ];
    for (const [n, args] of commands.entries()) {
      const { exitCode, stderr } = await runWith(`GLASSLOOP_DB=postgres://ann@${server.at}`, args, sources[n % 2]);
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining("the server asks for a password, and the address"),
      ]);
      expect(stderr).toContain(`error: GLASSLOOP_DB in .env: postgres://${server.at}: `);
    }
    expect(server.got).toEqual([]);
  });

  test("gets the password that stands in its address", async () => {
    await using server = await startAskingServer(ways["in plain text"]);
    const shell = { PGPASSWORD: "password-of-the-shell" };
    await runWith(`GLASSLOOP_DB=postgres://ann:of-the-folder@${server.at}`, ["threads", "list"], shell);
    await runWith(`GLASSLOOP_DB=postgres://ann@${server.at}?password=of-the-folder`, ["threads", "list"], shell);
    expect(server.got).toHaveLength(2);
    for (const message of server.got) expect(message).toContain("of-the-folder");
  });

  test("gets the password of the shell if a person names the database, too", async () => {
    await using server = await startAskingServer(ways["in plain text"]);
    const address = `postgres://ann@${server.at}`;
    const shell = { PGPASSWORD: "password-of-the-shell" };
    await runWith(`GLASSLOOP_DB=${address}`, ["threads", "list", "--db", address], shell);
    await runWith("", ["threads", "list"], { ...shell, GLASSLOOP_DB: address });
    expect(server.got).toHaveLength(2);
    for (const message of server.got) expect(message).toContain("password-of-the-shell");
  });

  test.for(["sslcert", "sslkey", "sslrootcert"])("names no file of keys: %s", async (option) => {
    const address = `postgres://ann@127.0.0.1:1/db?${option}=/dev/zero`;
    const { exitCode, stderr } = await runWith(`GLASSLOOP_DB=${address}`, ["threads", "list"]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining("GLASSLOOP_DB in .env: an address there cannot name files"),
    ]);
  });

  test.for([
    ["postgres://ann@h/db#?password=x", "postgres://ann@h/db?require_auth=none#?password=x"],
    ["postgres://ann:@h/db?password=x&password=", "postgres://ann@h/db?password=x&password=&require_auth=none"],
    ["POSTGRESQL://h/db?require_auth=scram-sha-256", "postgresql://h/db?require_auth=none"],
    ["postgres://ann:x@h/db", "postgres://ann:x@h/db"],
    ["postgres:", "postgres:?require_auth=none"],
    ["postgres://a b", "postgres://a b"],
    ["sqlite:threads.db", "sqlite:threads.db"],
  ] as const)("%s is read as %s", ([address, read]) => {
    expect(foreignDatabase(address)).toBe(read);
  });
});

describe("an address of OpenAI's API that only .env names", () => {
  const shell = {
    OPENAI_API_KEY: "key-of-the-shell",
    OPENAI_ORG_ID: "org-of-the-shell",
    OPENAI_PROJECT_ID: "project-of-the-shell",
    OPENAI_CUSTOM_HEADERS: "X-Gateway: header-of-the-shell\nAuthorization: Bearer auth-of-the-shell",
  };

  test.for([
    ["openai:m", "", "Bearer none"],
    ["openai:m", "OPENAI_API_KEY=key-of-the-folder", "Bearer key-of-the-folder"],
    ["openai:m,offline", "", "Bearer none"],
    ["offline,openai:m", "", undefined],
  ] as const)("gets no variable of the shell: %s, %s", async ([model, key, sent]) => {
    await using server = await startOpenAIServer(["Final Answer: Hi."]);
    const { OPENAI_API_KEY, ...others } = shell;
    const lines = [`OPENAI_BASE_URL=${server.url}`, `GLASSLOOP_MODEL=${model}`, key].join("\n");
    const args = ["ask", "--db", "memory:", "--tools", "none", "Hi there?"];
    const { stderr } = await runWith(lines, args, key ? others : shell);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(sent ? [sent] : []);
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toContain("of-the-shell");
    expect(stderr).toContain(`Your key is not sent to ${server.url}, as only .env names it.`);
  });

  test("gets the variables of the shell if a person names the address, too", async () => {
    await using server = await startOpenAIServer(["Final Answer: Hi."]);
    const options = ["--db", "memory:", "--model", "openai:m", "--base-url", server.url, "--tools", "none"];
    const env = { ...shell, OPENAI_CUSTOM_HEADERS: "X-Gateway: header-of-the-shell" };
    await runWith(`OPENAI_BASE_URL=${server.url}`, ["ask", ...options, "Hi there?"], env);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: "Bearer key-of-the-shell",
      "openai-organization": "org-of-the-shell",
      "openai-project": "project-of-the-shell",
      "x-gateway": "header-of-the-shell",
    });
  });
});
