/**
 * What servers say of a prompt that is longer than their model can read, with examples in `test/fixtures/failures.jsonl`.
 * Some say it with the status 429 or 500, or inside a stream. A limit on the reply alone is no full context.
 */
export const fullContexts: readonly (readonly [by: string, words: RegExp])[] = [
  ["OpenAI, Azure, DeepSeek, Mistral, OpenRouter, SambaNova, vLLM", /maximum (?:context|model|sequence) length/i],
  ["OpenAI's Responses", /exceeds? the context window|input tokens exceed the configured limit/i],
  ["OpenAI and Groq, for what may be sent in a minute", /request too large for .*tokens per min/i],
  [
    "Anthropic, Fireworks, vLLM",
    /(?:prompt|input) (?:\([^)]*\) )?is too long\b(?! for requested)|exceed context limit/i,
  ],
  ["Amazon Bedrock", /input is too long for requested model/i],
  ["Gemini", /input token count .*(?:exceeds the maximum number|only supports up to)/i],
  ["xAI", /maximum prompt length/i],
  ["Groq, Cerebras", /reduce the length of the messages/i],
  ["Together, SGLang", /longer than the model'?s context length/i],
  ["TGI", /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than \d+ tokens)/i],
  ["Cohere", /too many tokens: (?:size|total)/i],
  ["llama.cpp", /exceeds? the available context size|context size has been exceeded/i],
  ["Ollama", /exceed(?:s|ed) (?:the |max )?context length/i],
  ["LM Studio", /greater than the context length|context length of only \d|reached context length/i],
  ["GitHub Copilot and GitHub Models", /prompt token count of \d+ exceeds|request body too large for .* model/i],
  ["MiniMax", /context window exceeds limit/i],
  ["Kimi", /exceeded model token limit/i],
  ["DashScope", /range of input length should be/i],
  ["Z.ai", /prompt exceeds max length/i],
  ["Poolside", /maximum allowed input length/i],
  ["IBM watsonx", /number of input tokens \d+ cannot exceed/i],
  ["Snowflake", /max tokens of \d+ exceeded/i],
  ["Volcengine", /tokens? .*exceed max message tokens/i],
  ["ONNX Runtime, Foundry Local", /sequence length \(\d+\) exceeds max length/i],
  [
    "others",
    /^(?!.*per min)(?=.*\b(?:input|prompt)\b).*\btokens?\b[^.]{0,40}(?:exceeds?|above|(?:larger|longer|greater|more) than) the (?:maximum|limit|allowed)/i,
  ],
  [
    "others",
    /(?:exceed|overflow|too (?:long|large|big|many)|not fit|outgrow)[^.]{0,60} context (?:window|size|limit|length)/i,
  ],
  ["others", /context (?:window|size|limit|length)[^.]{0,30}(?:exceeded|overflow|is full|too (?:small|short))/i],
];
