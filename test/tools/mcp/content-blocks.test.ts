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

  it("has a picture once that also stands in the structured content", () => {
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const structuredContent = { of: [image], as: `data:image/png;base64,${image.data}`, n: 7 };
    const shown = { of: [{ ...image, data: "[the image of this result]" }], as: "[the image of this result]", n: 7 };
    expect(content({ content: [image], structuredContent })).toEqual([text(JSON.stringify(shown)), image]);
    expect(content({ structuredContent })).toBe(JSON.stringify(structuredContent));
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
