import { expect, test } from "vitest";
import { InvalidOptionError, ThreadsDatabaseError } from "../../src/base/errors.js";
import { openThreads } from "../../src/threads/open.js";

test.each(["threads.db", "", "mysql://user:secret@host/db", "http://host", "file:threads.db"])(
  "the address %j is refused with the schemes that are possible",
  async (url) => {
    const error: unknown = await openThreads(url).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(InvalidOptionError);
    for (const scheme of ["memory:", "sqlite:PATH", "postgres://"]) expect(String(error)).toContain(scheme);
    expect(String(error)).not.toContain("secret");
  },
);

test("memory takes no path", async () => {
  await expect(openThreads("memory:threads")).rejects.toThrow(ThreadsDatabaseError);
});
