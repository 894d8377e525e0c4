// Documents: an agent answers from a folder of files, and cites them. What it cannot find, it says.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRetrievalAgent, documents } from "glassloop";

const folder = await mkdtemp(join(tmpdir(), "tea-"));
await writeFile(join(folder, "oolong.md"), "# Oolong\n\nOolong was first made in the Wuyi Mountains of China.\n");
await writeFile(join(folder, "sencha.md"), "# Sencha\n\nSencha was first made in 1738 by Nagatani Soen.\n");

const retriever = documents({ folder });
const agent = createRetrievalAgent({ model: "offline", retriever, grade: true, check: true });

for (const question of ["Where was Oolong first made?", "Who was the first emperor of Rome?"]) {
  const { answer, stopReason, sources } = await agent.invoke({ messages: question });
  console.log(`${answer} (${stopReason})`);
  for (const [n, { title, address }] of sources.entries()) console.log(`[${n + 1}] ${title}, ${address}`);
}
await retriever.close();
await rm(folder, { recursive: true });
