import { describe, expect, it } from "vitest";
import type { ContentBlock } from "../../src/content/content-block.js";
import { type FileForm, fileKinds, filesIn, readFile, sentFile, sizeText } from "../../src/content/file-block.js";

const data = "QUJD";
const png = `data:image/png;base64,${data}`;
const pdf = { type: "file", mimeType: "application/pdf", data, metadata: { filename: "a.pdf" } };
const image = { type: "image", mimeType: "image/png", data };
const linked = { type: "image", url: "https://a.org/b.png" };

const named = (block: ContentBlock, filename: string) => ({ ...block, metadata: { filename } });
const sent = (block: ContentBlock, fileForm: FileForm) => sentFile(block, { files: fileKinds, fileForm });

describe("a file for a package", () => {
  const document = { type: "document", title: "T", source: { type: "base64", media_type: "application/pdf", data } };
  const image_url = { type: "image_url", image_url: { url: png, detail: "low" } };
  const cases: readonly (readonly [string, FileForm, ContentBlock, ContentBlock | undefined])[] = [
    ["is an image in the form of OpenAI", "older", image, { type: "image_url", image_url: { url: png } }],
    ["keeps OpenAI's own block", "older", image_url, image_url],
    ["keeps the detail of an image", "older", { type: "input_image", image_url: png, detail: "low" }, image_url],
    [
      "has the name that OpenAI knows for MP3",
      "older",
      { type: "audio", mimeType: "audio/mpeg", data },
      named({ type: "audio", source_type: "base64", data, mime_type: "audio/mp3" }, "audio"),
    ],
    [
      "has no name if it has an address",
      "older",
      { type: "file", url: "https://a.org/b.pdf" },
      { type: "file", source_type: "url", url: "https://a.org/b.pdf", metadata: {} },
    ],
    [
      "keeps its mark for the cache",
      "older",
      { ...image, cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: png }, cache_control: { type: "ephemeral" } },
    ],
    ["is a standard block", "standard", { type: "image_url", image_url: { url: png } }, named(image, "image")],
    [
      "is a standard block, even if it is Anthropic's",
      "standard",
      document,
      named({ type: "file", mimeType: "application/pdf", data }, "T"),
    ],
    ["is Anthropic's document as it came", "anthropic", document, document],
    ["is a standard block for Anthropic", "anthropic", pdf, pdf],
    ["is not there without its data", "data", linked, undefined],
    ["is an image with its data", "data", image, { type: "image_url", image_url: { url: png } }],
  ];
  it.each(cases)("%s (%s)", (_, form, block, wanted) => {
    expect(sent(block, form)).toEqual(wanted);
  });

  it("is left out if the package does not take its kind", () => {
    expect(sentFile(image, { files: ["file"], fileForm: "older" })).toBeUndefined();
    expect(filesIn([image, pdf], { files: ["file"], fileForm: "standard" })).toEqual([pdf]);
    expect(filesIn([{ ...image, mimeType: "image/tiff" }], { files: ["image"], fileForm: "older" })).toEqual([]);
  });
});

describe("the file in a block", () => {
  it.each<[string, ContentBlock, object]>([
    ["audio", { type: "input_audio", input_audio: { data, format: "wav" } }, { mimeType: "audio/wav", data }],
    ["file", { type: "document", source: { type: "file", file_id: "f1" } }, { id: "f1" }],
    ["file", { type: "media", mimeType: "application/pdf", fileUri: "https://a.org/b" }, { url: "https://a.org/b" }],
    ["video", { type: "video_url", video_url: { url: "https://a.org/b" } }, { url: "https://a.org/b" }],
    ["image", { type: "image_url", image_url: { url: "data:image/svg+xml,<x/>" } }, { url: "data:image/svg+xml,<x/>" }],
  ])("of the kind %s is read from %j", (kind, block, file) => {
    expect(readFile(block)).toMatchObject({ kind, ...file });
  });

  it("is not read in a tool call", () => {
    expect(readFile({ type: "tool_use", id: "1" })).toBeUndefined();
  });
});

it.each([
  [999, "999 bytes"],
  [12_400, "12 KB"],
  [3_000_000, "3.0 MB"],
])("a file of %i bytes has %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
