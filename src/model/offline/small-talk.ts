const replies: readonly (readonly [RegExp, string])[] = [
  [/^(?:thanks|thank you|thank u|thx|many thanks|cheers|great|cool|ok|okay)\b/, "You are welcome."],
  [/^(?:bye|goodbye|see you|good night)\b/, "Goodbye."],
  [
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings)\b/,
    "Hello! I am the offline stand-in: a set of rules, no language model. Ask me something that is in the documents, or something to calculate.",
  ],
  [
    /^(?:help$|who are you|what are you|what can you do|how can you help|what is your name|are you (?:an? )?(?:ai|llm|language model|bot|robot|human))\b/,
    "I am the offline stand-in: a set of rules, no language model. I look up questions in the documents and work out arithmetic. Set a model for more.",
  ],
];

/**
 * Returns a polite reply to a greeting, to thanks, or to a question about the model. Returns undefined for any other
 * message.
 */
export function smallTalk(message: string): string | undefined {
  const words = message
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s]/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (words === "")
    return "I did not understand that. Ask me something that is in the documents, or something to calculate.";
  if (words.split(" ").length > 6) return undefined;
  return replies.find(([pattern]) => pattern.test(words))?.[1];
}
