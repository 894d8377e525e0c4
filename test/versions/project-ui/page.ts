import { existsSync } from "node:fs";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { model, script } from "./agent.js";
import { serve } from "./serve.js";

/** The browser of this machine; undefined if it has none. */
const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

/** The page of the document, as a browser loads it. */
async function bundledPage(): Promise<string> {
  const contents = `
    import { createRoot } from "react-dom/client";
    import { Chat } from "./chat.js";
    createRoot(document.body).render(<Chat id={crypto.randomUUID()} />);`;
  const { outputFiles } = await build({
    stdin: { contents, loader: "tsx", resolveDir: "." },
    bundle: true,
    write: false,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return `<!doctype html><meta charset="utf-8"><body></body><script>${outputFiles[0]?.text.replaceAll("</script", "<\\/script")}</script>`;
}

test.skipIf(executablePath === undefined)(
  "a page in Chromium shows words as they come, takes some back, and asks",
  async () => {
    const site = await serve(await bundledPage());
    const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(100_000);
      const problems: string[] = [];
      page.on("pageerror", ({ message }) => problems.push(message));
      await page.goto(site.url);
      const ask = async (question: string) => {
        await page.getByLabel("Question").fill(question);
        await page.getByRole("button", { name: "Ask" }).click();
      };
      let release = () => {};
      const hold = new Promise<void>((resolve) => {
        release = resolve;
      });
      script.push({ text: "Hello to you, and to all.", hold });
      await ask("Hello?");
      await page
        .locator("p")
        .getByText(/^Hello to/)
        .waitFor();
      expect(await page.getByText("Hello to you, and to all.").count()).toBe(0);
      release();
      await page.getByText("Hello to you, and to all.").waitFor();
      await page.getByRole("button", { name: "Ask" }).waitFor();
      script.push({ text: "I pay.", toolCalls: [{ name: "pay", args: { to: "Ann" } }] }, "She has it.");
      await ask("Pay Ann.");
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("She has it.").waitFor();
      expect(await page.locator("p, i, pre").allInnerTexts()).toEqual([
        "Hello?",
        "Hello to you, and to all.",
        "Pay Ann.",
        "I pay.",
        'pay {"to":"Ann"}: Paid Ann.',
        "She has it.",
      ]);
      expect(await page.locator("i").allInnerTexts()).toEqual(["I pay."]);
      script.push({ status: 400, message: "No." }, "Again here.");
      await ask("Fail.");
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").innerText()).toContain("No.");
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      site.close();
      await model.close();
    }
  },
);
