import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FollowedFolder } from "../../../src/documents/refresh/followed-folder.js";
import { refresh } from "../../../src/documents/refresh/refresh.js";
import { needs } from "../../helpers/needs.js";
import { documentFolder } from "../document-folder.js";

const { folder, index, write } = documentFolder();
const lookThrough = vi.fn<typeof refresh>();
const options = { folder, index: ":memory:", model: undefined, readingTimeMs: 1_000 };

const others = { kinds: new Map(), links: [], closed: [], hasMore: false };
const looked = { documents: [], others, unread: 0, unembedded: 0, gone: [], isAsBefore: false, lookedMs: 1 };

describe("FollowedFolder", () => {
  beforeEach(() => {
    lookThrough.mockReset();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Searches twice in a folder, and returns how often it was looked through. */
  async function looks(lookedMs: number, unread = 0): Promise<number> {
    lookThrough.mockReset().mockResolvedValue({ ...looked, unread, lookedMs });
    const followed = new FollowedFolder(options, lookThrough);
    await followed.current();
    await followed.current();
    await followed.close();
    return lookThrough.mock.calls.length;
  }

  it("scans the folder at each search, but pauses after a scan that took more than a second and left no file", async () => {
    expect(await looks(900)).toBe(2);
    expect(await looks(5_000)).toBe(1);
    expect(await looks(5_000, 1)).toBe(2);
  });

  it.each([
    ["15 seconds", undefined, undefined, 15_000],
    ["as long as the search may, less 20 seconds", undefined, 300_000, 280_000],
    ["as long as it is told", 1_000, 300_000, 1_000],
    ["no longer than the search may", 1_000, 1_000, 800],
  ])("reads %s", async (_, readingTimeMs, timeMs, expected) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const times: boolean[] = [];
    lookThrough.mockImplementation(async (_index, { hasTime }) => {
      for (const milliseconds of [0, expected - 1, 1]) times.push(vi.advanceTimersByTime(milliseconds) && hasTime());
      return looked;
    });
    const followed = new FollowedFolder({ ...options, readingTimeMs }, lookThrough);
    await followed.current({ timeMs });
    await followed.close();
    expect(times).toEqual([true, true, false]);
  });

  it("tells all searches that wait how far it is, and stops when the first of them has no more time", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const times: boolean[] = [];
    const progress = { step: "reading", done: 1, total: 2 } as const;
    let told = () => {};
    const both = new Promise<void>((resolve) => {
      told = resolve;
    });
    lookThrough.mockImplementation(async (_index, { hasTime, onProgress }) => {
      await both;
      onProgress?.(progress);
      for (const milliseconds of [79, 1]) times.push(vi.advanceTimersByTime(milliseconds) && hasTime());
      return looked;
    });
    const followed = new FollowedFolder({ ...options, readingTimeMs: undefined }, lookThrough);
    const heard: unknown[] = [];
    const onProgress = (one: unknown) => heard.push(one);
    const searches = [1_000, 100].map((timeMs) => followed.current({ timeMs, onProgress }));
    told();
    await Promise.all(searches);
    await followed.close();
    expect(heard).toEqual([progress, progress]);
    expect(times).toEqual([true, false]);
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

const hasLinux = needs(process.platform === "linux", "Followed folders are not tried: this is not Linux.");

describe.runIf(hasLinux)("A folder that is watched", () => {
  it("is looked through again only when it or the index was changed", async () => {
    write("a.md", "Rain");
    const settings = { ...options, folder, index, readingTimeMs: 1_000_000 };
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
      write("b.md", "Snow");
      expect([await hasLooked(), await hasLooked(), await hasLooked()]).toEqual([true, true, false]);
      write("c.md", "Fog");
      await other.refresh({ hasTime: () => true });
      expect([await hasLooked(), await hasLooked()]).toEqual([true, false]);
      await followed.refresh({ hasTime: () => true });
      expect(lookThrough.mock.lastCall?.[1].unchanged).toBeUndefined();
      await other.refresh({ hasTime: () => true });
      expect(await hasLooked()).toBe(false);
      await followed.close();
      expect(await hasLooked()).toBe(true);
    } finally {
      await Promise.all([followed.close(), other.close()]);
    }
  });
});
