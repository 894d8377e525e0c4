import { expect, it } from "vitest";
import { ModelError } from "../../src/index.js";
import { toModelError } from "../../src/model/model-errors.js";

/** What packages of LangChain throw at a file, without a request. */
const thrown = [
  "Image content blocks with source_type id are not supported for ChatOpenAI",
  "Audio blocks with source_type base64 must have mime type of audio/wav or audio/mp3",
  "Unable to convert content block type 'video' to provider-specific format: not recognized.",
  "Converter for anthropic does not implement `fromStandardAudioBlock` method.",
  "Unsupported image source type: id",
  "Unsupported file mime type for file base64 source: text/plain",
  'Invalid image URL protocol: "ftp:". Anthropic only supports images as http, https, or base64-encoded data URLs.',
  "Unknown content type media",
  "Invalid media content",
  "This model does not support images",
  "Please provide image as base64 encoded data URL",
  "ContentBlock.Multimodal fileId is not supported by Google Generative AI. Use a URL or base64 data instead.",
  'Invalid multimodal content block: must have "data", "url", or "fileId" property.',
  'Mistral only supports types "text" or "image_url" for complex message types.',
  "Unsupported content type: input_image",
];

it.each(thrown)("a package that throws this refuses files: %s", (message) => {
  const error = toModelError(new Error(message));
  expect(error).toMatchObject({ kind: "refused", refuses: expect.arrayContaining(["files"]) });
  expect(error).toHaveProperty("message", expect.stringMatching(/^The package of the model refused the request: /));
});

it.each([
  [400, "'messages.1.content' : value must be a string", ["files"]],
  [413, "Payload Too Large", ["files"]],
  [400, "`tool_use` blocks must stand immediately before", []],
])("a server that says %i %s refuses %j", (status, message, refuses) => {
  const error = toModelError(Object.assign(new Error(`${status} ${message}`), { status }));
  expect(error instanceof ModelError && error.refuses?.filter((part) => part === "files")).toEqual(refuses);
});

it("an unknown error stays unchanged", () => {
  const error = new Error("Cannot read properties of null");
  expect(toModelError(error)).toBe(error);
});
