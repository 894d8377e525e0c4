import type { RequestPart } from "../../base/errors.js";

/** A part of a request, who refuses it in these words, and the statuses for which the row holds. Default: all. */
type RefusedPart = readonly [
  part: RequestPart,
  by: string,
  words: RegExp,
  statuses?: readonly [from: number, to: number],
];

const noTools = "(?:tools?|tool[- _]?(?:use|calls?|calling)|functions?|function[- _]?call(?:s|ing)?)";
const asked = [400, 499] as const;

/**
 * What servers say of a part of a request that they do not take. The examples in `test/fixtures/failures.jsonl` have as many
 * refusals of other things that speak of tools, files and formats: of a schema, a name, a pair of call and result.
 */
export const refusedParts: readonly RefusedPart[] = [
  [
    "tools",
    "Ollama, DeepSeek, xAI, Volcengine, Bedrock",
    new RegExp(
      `(?:does|do) ?n[o']t support (?:native )?${noTools}\\b(?! (?:with|together|of|named|when|while)\\b)`,
      "i",
    ),
  ],
  [
    "tools",
    "Groq, Gemini, DeepInfra, SiliconFlow, Perplexity, DashScope",
    new RegExp(
      `(?:^|[.:;"'\`(-] *)(?:the )?['"\`]?${noTools}['"\`]? (?:is |are )?(?:not|un)[ -]?(?:yet )?(?:supported|enabled|available|implemented)\\b`,
      "i",
    ),
  ],
  [
    "tools",
    "llama.cpp, OpenAI",
    /(?:unsupported|unknown|unrecognized|unexpected)[^.]{0,40}['"`:{[ ]tools\b(?![.[\w])/i,
  ],
  ["tools", "LiteLLM", /does not support parameters: [{[]'tools'/i],
  ["tools", "FastAPI, pydantic", /\btools: extra inputs are not permitted/i],
  ["tools", "vLLM, LMDeploy", /tool choice requires --|with --tool-call-parser if you want to use tool/i],
  ["tools", "llama.cpp", /tools param requires --jinja/i],
  ["tools", "OpenRouter", /no endpoints found that support (?:tool use|the provided 'tool_choice')/i],
  ["tools", "NVIDIA NIM", /tool use has not been enabled/i],
  ["tools", "Together", /is not supported for (?:function|tool) calling/i],
  ["tools", "DeepSeek, others", /tool_choice['"`]? (?:is|are) (?:not |un)supported|not support this tool_choice/i],
  ["tools", "OpenAI's reasoning models", /function tools with reasoning_effort are not supported/i],
  ["tools", "servers in Chinese", /不支持(?:工具|函数|function|tool)/i],
  ["response-format", "OpenAI, DeepSeek, LM Studio, Groq, Volcengine", /response_?(?: ?format| mime)/i, asked],
  ["response-format", "Groq, vLLM", /json[ _](?:mode|object)|json_schema|structured outputs?/i, asked],
  ["response-format", "llama.cpp", /cannot use custom grammar constraints with tools/i],
  [
    "files",
    "OpenAI, Ollama, OpenRouter, LM Studio, Bedrock",
    /(?:(?:does|do) ?n[o']t support|that support) (?:the )?(?:images?|audio|videos?|vision|pdfs?|documents?|files?|image_url)\b/i,
  ],
  [
    "files",
    "llama.cpp, Gemini",
    /(?:image|audio|video|file|document)s? (?:input |content )?(?:modality )?(?:is|are) not (?:supported|enabled)/i,
  ],
  ["files", "Ollama", /missing data required for image input/i],
  ["files", "vLLM", /is not a multimodal model|at most 0 (?:image|audio|video)/i],
  ["files", "OpenAI", /image_url is only supported by certain models/i],
  ["files", "DeepSeek, llama.cpp", /unknown variant `image_url`|unsupported content part type/i],
  ["files", "Groq, FastAPI", /content\b.* (?:must|should) be (?:a (?:valid )?string|'text')/i],
  [
    "file",
    "each, of one file",
    /^(?!.*\b(?:schema|functions?)\b).*(?:\b(?:images?(?:_url)?|vision|audio|videos?|files?|documents?|pdfs?|mime type|content type)\b|\bmedia(?:\b|_))/i,
    asked,
  ],
];
