import { expect, test } from "vitest";
import { modelAndDatabase, whenAsked } from "../cli/scripted-server.js";
import { startProcess } from "../cli/serve-process.js";
import { changesOf } from "./changes-reader.js";

test("the changes of a server tell what the command line does, also when it is killed", async () => {
  const held = { text: "One two three four.", stallAfterPieces: 2 };
  await using given = await modelAndDatabase([" I know\nFinal Answer: Four.", held]);
  const { folder, model, db } = given;
  const server = await startProcess("serve", folder.path, [...model.options, ...db]);
  const changes = changesOf(await fetch(`${server.url}/glassloop/changes`));
  expect(await changes.next()).toMatchObject({ event: "reload" });
  const ask = ["ask", "-q", ...model.options, ...db];
  await folder.run([...ask, "-t", "sums", "What is 2 + 2?"]);
  await changes.until("thread", { id: "sums", status: "idle", turns: 1, stopReason: "answered" });
  const killed = folder.run([...ask, "-t", "long", "Tell me."], {
    during: whenAsked(
      model,
      (child) => changes.until("thread", { id: "long", status: "running" }).then(() => child.kill("SIGKILL")),
      2,
    ),
  });
  await killed;
  await changes.until("thread", { id: "long", status: "interrupted" });
  await folder.run(["threads", "remove", "sums", "--yes", ...db]);
  await changes.until("deleted", { id: "sums" });
});
