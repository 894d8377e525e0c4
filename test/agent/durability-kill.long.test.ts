import { describe, expect, it } from "vitest";
import { UserFolder } from "../helpers/snippets.js";

const url = "http://127.0.0.1:9"; // No model is asked over the network here.

/** Threads in SQLite, and a checkpointer of others that returns when what it was given is in its file. */
const savers = {
  SQLite: `
    import { openThreads } from "glassloop";
    export const { checkpointer } = await openThreads("sqlite:threads.db");`,
  "another checkpointer on a disk": `
    import { MemorySaver } from "@langchain/langgraph";
    import { existsSync, readFileSync, writeFileSync } from "node:fs";
    import { deserialize, serialize } from "node:v8";
    class FileSaver extends MemorySaver {
      async put(...given) {
        return this.#kept(await super.put(...given));
      }
      async putWrites(...given) {
        return this.#kept(await super.putWrites(...given));
      }
      #kept(result) {
        writeFileSync("saver.bin", serialize({ storage: this.storage, writes: this.writes }));
        return result;
      }
    }
    export const checkpointer = new FileSaver();
    if (existsSync("saver.bin")) Object.assign(checkpointer, deserialize(readFileSync("saver.bin")));`,
};

/** Pays in its second step. The process dies when that is paid. */
const pay = `
  import { tool } from "@langchain/core/tools";
  import { appendFileSync, readFileSync } from "node:fs";
  import { createAgent } from "glassloop";
  import { scriptedModel } from "glassloop/testing";
  import { z } from "zod";
  import { checkpointer } from "./saver.mjs";
  const toolNamed = (name, effects, act) =>
    tool(act, { name, description: name, schema: z.object({}), metadata: { effects } });
  const look = toolNamed("look", false, () => appendFileSync("looks", "1") ?? "7 euros");
  const pay = toolNamed("pay", true, () => {
    appendFileSync("bills", "1");
    process.kill(process.pid, "SIGKILL");
  });
  export const config = { configurable: { thread_id: "t" } };
  export const agent = (replies) =>
    createAgent({ model: scriptedModel(replies), tools: [look, pay], checkpointer, durability: process.env.DURABILITY });
  export const count = (file) => readFileSync(file, "utf8").length;`;

const first = `
  import { agent, config } from "./pay.mjs";
  const call = (name) => ({ tool_calls: [{ name, args: {} }] });
  await agent([call("look"), call("pay")]).invoke({ messages: "Pay." }, config);`;

const second = `
  import { agent, config, count } from "./pay.mjs";
  const { values } = await agent([]).getState(config);
  if (values.messages === undefined) console.log("lost");
  else console.log((await agent(["Done."]).invoke(null, config)).answer, count("looks"), count("bills"));`;

describe.each(Object.entries(savers))("a run in %s whose process is killed in a call with effects", (_, saver) => {
  it.each([
    ["goes on from its last node and makes no call again", "sync", "Done. 1 1\n"],
    ["is lost with its question", "exit", "lost\n"],
  ])("%s with the durability %s", async (_, durability, printed) => {
    using folder = new UserFolder();
    folder.write("saver.mjs", saver);
    folder.write("pay.mjs", pay);
    const env = { DURABILITY: durability };
    const killed = folder.run({ path: folder.write("first.mjs", first), url, env });
    await expect(killed).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(await folder.run({ path: folder.write("second.mjs", second), url, env })).toEqual([printed]);
  });
});
