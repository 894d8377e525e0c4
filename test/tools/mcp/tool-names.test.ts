import { describe, expect, it } from "vitest";
import { nameTools } from "../../../src/tools/mcp/mcp-tools.js";

/** Names tools that are written as "server/tool". */
function named(tools: readonly string[]): string[] {
  return nameTools(tools.map((text) => ({ server: text.split("/")[0] ?? "", tool: text.split("/")[1] ?? "" })));
}

describe("the name of an MCP tool", () => {
  it("is its own", () => {
    expect(named(["a/read_file", "b/read-all"])).toEqual(["read_file", "read-all"]);
  });

  it("has its server's name before it when another tool has the same, in any order", () => {
    expect(named(["a/read", "b/read", "b/write"])).toEqual(["a__read", "b__read", "write"]);
    expect(named(["b/write", "b/read", "a/read"])).toEqual(["write", "b__read", "a__read"]);
  });

  it("is one that model providers take", () => {
    const long = "x".repeat(80);
    const names = named(["a/files.read", "a/дела", `a/${long}1`, `a/${long}2`]);
    expect(names[0]).toBe("files_read");
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(4);
  });

  it("is its own alone, also beside names that look the same then", () => {
    const names = named(["a/x.y", "a/x y", "b/a__x_y"]);
    expect(new Set(names).size).toBe(3);
    expect(names.every((name) => name.startsWith("a__x_y"))).toBe(true);
    expect(named(["a/x.y", "a/x y", "b/a__x_y"])).toEqual(names);
  });
});
