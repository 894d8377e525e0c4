import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { browserPath } from "../../../test/graphs/chat-page.js";

export { browserPath };

/** Starts Chromium without what it does by itself in the background. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath ?? "",
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}

/** A tab, and what it should not have done. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, uncaught ones, and what the content security refused. */
  readonly complaints: readonly string[];
  /** Addresses that were asked for elsewhere than at the server of the page, also if that was refused. */
  readonly elsewhere: readonly string[];
}

interface PageOptions extends BrowserContextOptions {
  /** Errors that a test makes by itself, such as those of a server that is gone. */
  readonly expected?: RegExp;
}

/** Opens a page in a new context. */
export async function openPage(
  browser: Browser,
  url: string,
  { expected, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  // Far above what anything takes on a busy machine.
  context.setDefaultTimeout(100_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  const complain = (text: string) => {
    if (!expected?.test(text)) complaints.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complain(message.text());
  });
  page.on("pageerror", (error) => complain(error.message));
  page.on("dialog", (dialog) => complain(dialog.message()));
  page.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== new URL(url).origin && asked.protocol !== "data:" && asked.protocol !== "blob:")
      elsewhere.push(asked.href);
  });
  await page.goto(url);
  return { page, complaints, elsewhere };
}
