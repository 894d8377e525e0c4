import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FollowedFolder } from "../../../src/documents/refresh/followed-folder.js";
import { refresh } from "../../../src/documents/refresh/refresh.js";

const lookThrough = vi.fn<typeof refresh>();
const options = { folder: tmpdir(), index: ":memory:", model: undefined, readingTimeMs: 1_000 };

describe("FollowedFolder", () => {
  beforeEach(() => {
    lookThrough.mockReset();
  });

  /** Searches twice in a folder, and returns how often it was looked through. */
  async function looks(lookedMs: number, unread = 0): Promise<number> {
    const others = { kinds: new Map(), links: 0, closed: [], hasMore: false };
    lookThrough.mockResolvedValue({ documents: [], others, unread, unembedded: 0, isAsBefore: false, lookedMs });
    const followed = new FollowedFolder(options, lookThrough);
    await followed.current();
    await followed.current();
    await followed.close();
    return lookThrough.mock.calls.length;
  }

  it("scans the folder at each search", async () => {
    expect(await looks(900)).toBe(2);
  });

  it("pauses after a scan that took more than a second", async () => {
    expect(await looks(5_000)).toBe(1);
  });

  it("does not pause while files are left to read", async () => {
    expect(await looks(5_000, 1)).toBe(2);
  });

  it("scans once for searches at the same time", async () => {
    lookThrough.mockRejectedValue(new Error("the disk is away"));
    const followed = new FollowedFolder(options, lookThrough);
    const both = await Promise.allSettled([followed.current(), followed.current()]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(lookThrough).toHaveBeenCalledOnce();
    await followed.close();
  });
});

describe.runIf(process.platform === "linux")("A folder that is watched", () => {
  it("is looked through again only when it or the index was changed", async () => {
    const root = mkdtempSync(join(tmpdir(), "glassloop-followed-"));
    const folder = join(root, "docs");
    mkdirSync(folder);
    writeFileSync(join(folder, "a.md"), "Rain");
    const settings = { ...options, folder, index: join(root, "documents.db") };
    lookThrough.mockReset().mockImplementation(refresh);
    const followed = new FollowedFolder(settings, lookThrough);
    const other = new FollowedFolder(settings);
    const hasLooked = async () => {
      await followed.current();
      return lookThrough.mock.lastCall?.[1].unchanged === undefined;
    };
    try {
      // The second look finds nothing new: from there on the watch is trusted.
      expect([await hasLooked(), await hasLooked(), await hasLooked()]).toEqual([true, true, false]);
      writeFileSync(join(folder, "b.md"), "Snow");
      expect([await hasLooked(), await hasLooked(), await hasLooked()]).toEqual([true, true, false]);
      writeFileSync(join(folder, "c.md"), "Fog");
      await other.refresh(1_000);
      expect([await hasLooked(), await hasLooked()]).toEqual([true, false]);
      await followed.refresh(1_000);
      expect(lookThrough.mock.lastCall?.[1].unchanged).toBeUndefined();
      await other.refresh(1_000);
      expect(await hasLooked()).toBe(false);
      await followed.close();
      expect(await hasLooked()).toBe(true);
    } finally {
      await Promise.all([followed.close(), other.close()]);
      rmSync(root, { recursive: true });
    }
  });
});
