import type { Came } from "../../core/parts/models.js";

/**
 * The packages that show the end of a reply as a finish reason, by LangChain's word for the kind of the model, and how the reply
 * must have come. Mistral's package streams also what is asked for in one piece. Not here are: the chat completions and the Responses
 * API of OpenAI's package, whose ends are read on the wire; Ollama's, whose client throws without an end; and all that nobody tried.
 */
export const streamEnds: Readonly<Record<string, readonly Came[]>> = {
  anthropic: ["streamed"],
  googlegenerativeai: ["streamed"],
  groq: ["streamed"],
  mistral_ai: ["streamed", "whole"],
};
