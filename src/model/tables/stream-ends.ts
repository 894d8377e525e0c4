/**
 * The packages whose streams show their end as a finish reason, by LangChain's word for the kind of the model. Not here are:
 * OpenAI's package and Mistral's, whose ends are read on the wire; Ollama's, whose client throws without an end; and all that nobody
 * tried.
 */
export const streamEnds: ReadonlySet<string> = new Set(["anthropic", "googlegenerativeai", "groq"]);
