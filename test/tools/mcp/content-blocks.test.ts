import { describe, expect, it } from "vitest";
import { callResultSchema, toArtifact, toContent } from "../../../src/tools/mcp/content-blocks.js";

const text = (words: string) => ({ type: "text", text: words });

/** The content of a tool message for a result as it comes over the wire. */
function content(result: unknown) {
  return toContent("t", callResultSchema.parse(result));
}

describe("the content of a result", () => {
  it("keeps blocks of forms that are not known, and known ones that lack something", () => {
    const hologram = { type: "hologram", rays: 7 };
    const broken = { type: "image", data: "AAAA" };
    expect(content({ content: [text("a"), hologram, broken] })).toEqual([
      text("a"),
      { type: "non_standard", value: hologram },
      { type: "non_standard", value: broken },
    ]);
  });

  it("has the text of a block with remarks of a form that is not known", () => {
    const annotations = { audience: ["robot"], priority: 7 };
    expect(content({ content: [{ ...text("a"), annotations }] })).toBe("a");
  });

  it("keeps several texts apart", () => {
    expect(content({ content: [text("a"), text("b")] })).toEqual([text("a"), text("b")]);
  });

  it("is never empty", () => {
    expect(content({})).toBe("t ended well and returned nothing.");
    expect(content({ content: [text(" ")] })).toBe("t ended well and returned nothing.");
    expect(content({ isError: true })).toBe("t failed and did not say why.");
    expect(content({ structuredContent: [] })).toBe("[]");
  });

  it("has the data of a resource without a type", () => {
    const resource = { uri: "file:///a", blob: "AA==" };
    expect(content({ content: [{ type: "resource", resource }] })).toMatchObject([
      { type: "file", data: "AA==", mimeType: "application/octet-stream" },
    ]);
    expect(toArtifact(callResultSchema.parse({ content: [{ type: "resource", resource }] }))).toEqual({
      resources: [{ uri: "file:///a" }],
    });
  });
});
