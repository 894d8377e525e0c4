import { type FSWatcher, watch } from "node:fs";
import { readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { attempted } from "../../base/attempted.js";

/**
 * The file systems of Linux that tell of each change before the call that makes it returns: ext4, XFS, Btrfs, F2FS, ZFS,
 * tmpfs, overlay.
 */
const telling = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630]);
/** The largest number of folders that are watched. A user of Linux has a limited number of watches for all programs. */
const mostFolders = 4_000;
/** A watch does not see a file that is written under another name, a hard link. So it is not trusted for longer. */
const trustMs = 10 * 60_000;

/**
 * Tells whether anything in a folder has changed. It says "unchanged" only if it is sure: a network, another system than Linux,
 * or a folder in which it may not watch are looked through instead.
 */
export class FolderWatch {
  readonly #watchers: FSWatcher[] = [];
  readonly #until = performance.now() + trustMs;
  #isSure = process.platform === "linux";

  /** @param identity What tells the folder from another one that is put in its place. */
  private constructor(
    private readonly folder: string,
    private readonly identity: string,
  ) {}

  /** Begins to watch a folder, without its subfolders. */
  static async begin(folder: string): Promise<FolderWatch> {
    return new FolderWatch(folder, await identityOf(folder));
  }

  /** Watches the folder itself, or a folder below it. Whoever looks through a folder calls this first. */
  async add(below: string): Promise<void> {
    if (!this.#isSure) return;
    const path = join(this.folder, below);
    const system = await statfs(path).catch(() => undefined);
    const isTold = system !== undefined && telling.has(system.type) && this.#watchers.length < mostFolders;
    const watcher = isTold ? attempted(() => watch(path, { persistent: false }, () => this.close())) : undefined;
    if (watcher === undefined) this.close();
    else this.#watchers.push(watcher.on("error", () => this.close()));
  }

  /** Tells whether this is the folder that is watched, and nothing has changed in it since its folders were added. */
  async isUnchanged(folder: string): Promise<boolean> {
    if (folder !== this.folder || !this.#isSure || performance.now() > this.#until) return false;
    const identity = await identityOf(this.folder);
    // What the system has told is heard before this.
    await setImmediate();
    return this.#isSure && identity === this.identity;
  }

  /** Ends the watch. It is not sure of anything any more. */
  close(): void {
    this.#isSure = false;
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }
}

/** Nobody tells of a drive that is mounted on a subfolder, so all mounts are part of it. */
async function identityOf(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  const mounts = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  return `${found?.dev}:${found?.ino} ${mounts}`;
}
