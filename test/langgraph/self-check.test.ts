import { beforeEach, describe, expect, it, vi } from "vitest";
import * as names from "../../src/langgraph/names.js";

const { INPUT_CHANNEL, MESSAGES_HANDLER, EVENTS_HANDLER, SERVER_KEY, ABORT_SIGNALS_KEY, triggerOf, ...needed } = names;

beforeEach(() => {
  vi.doUnmock("../../src/langgraph/names.js");
  vi.resetModules();
});

describe("at the first run of a process", () => {
  it.each(Object.entries(needed))("a release of LangGraph without %s is refused", async (constant, name) => {
    vi.doMock("../../src/langgraph/names.js", () => ({ ...names, [constant]: `${name}_gone` }));
    const { checkLangGraph } = await import("../../src/langgraph/self-check.js");
    await expect(checkLangGraph()).rejects.toMatchObject({
      code: "unknown-release",
      message: expect.stringMatching(new RegExp(`relies on: .*${name}_gone.* from 1\\.5\\.3 to `)),
    });
  });

  it("this release is accepted", async () => {
    const { checkLangGraph } = await import("../../src/langgraph/self-check.js");
    await expect(checkLangGraph()).resolves.toBeUndefined();
  });
});
