import { spawn } from "node:child_process";

/** The programs that show an address in the browser of a person, by platform; `xdg-open` on others. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Shows an address in the browser, and waits for nothing. @param tell Gets a sentence if that fails. */
export function openInBrowser(url: string, tell: (problem: string) => void): void {
  const [program = "xdg-open", ...words] = openers[process.platform] ?? [];
  const failed = (why: string) => tell(`The browser could not be opened (${why}). Open ${url} yourself.`);
  const opener = spawn(program, [...words, url], { stdio: "ignore", detached: true });
  opener.once("error", ({ message }) => failed(message));
  opener.once("exit", (code) => code !== 0 && failed(`${program} ended with ${code}`));
  opener.unref();
}
