/** Takes pictures of the page at three widths, dark and light: `npx tsx page/test/demo/screens.ts <folder> [name …]`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openBrowser, openPage } from "./browser.js";
import { startDemo } from "./demo.js";
import { questions } from "./replies.js";
import { demoClient, type Kind, makeThreads } from "./threads.js";

const sizes = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
  { width: 2560, height: 1300 },
];

/** The places of the pictures: a kind of thread and what is shown of it; what a narrow page shows of it. */
const places: Readonly<Record<string, readonly [kind: Kind, wide: string, narrow?: string]>> = {
  answered: ["answered", "?turn=1&step=2", ""],
  limit: ["limit", "?turn=2&step=5", "?part=loop"],
  refunded: ["refunded", "?turn=1&step=4"],
  documents: ["retrieval", "?part=documents"],
  waiting: ["waiting", ""],
  failed: ["failedModel", ""],
  threads: ["story", "", "?part=threads"],
};

const [folder = "screens", ...only] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await using demo = await startDemo({ pace: 20 });
const browser = await openBrowser();

/** Takes the pictures of a place, which may be another one on a narrow page. */
async function take(name: string, place: (isNarrow: boolean) => string | Promise<string>): Promise<void> {
  if (only.length > 0 && !only.includes(name)) return;
  for (const viewport of sizes)
    for (const colorScheme of ["light", "dark"] as const) {
      const address = `${demo.url}#/${await place(viewport.width < 760)}`;
      const { page, complaints } = await openPage(browser, address, { viewport, colorScheme });
      await page.waitForFunction(() => !/Loading/.test(document.body.innerText)).catch(() => {});
      await page.waitForTimeout(1500);
      const file = `${name}-${viewport.width}-${colorScheme}.png`;
      await page.screenshot({ path: join(folder, file) });
      console.log(file, ...complaints);
      await page.context().close();
    }
}

/** Begins a thread whose answer is written while its picture is taken. */
async function running(): Promise<string> {
  const client = demoClient(demo.url);
  const thread = await client.newThread();
  const input = { messages: [{ type: "human", content: questions.story }] };
  await client.request(`threads/${thread}/runs`, { assistant_id: "trips", input });
  return `threads/${thread}`;
}

await take("first", () => "");
const threads = await makeThreads(demo.url);
for (const [name, [kind, wide, narrow = wide]] of Object.entries(places)) {
  await take(name, (isNarrow) => `threads/${threads[kind]}${isNarrow ? narrow : wide}`);
}
await take("running", running);
await browser.close();
