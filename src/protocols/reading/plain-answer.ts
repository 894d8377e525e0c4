import type { ToolNames } from "./tool-names.js";

/**
 * Tells whether a reply without the words of a protocol clearly speaks to the user: an answer, a refusal or a question.
 * Plans, remarks on the task, copies of the prompt and broken text are not answers.
 */
export function isPlainAnswer(written: string, tools: ToolNames): boolean {
  const text = sampleOf(written.trim());
  const sentences = sentencesOf(text);
  const last = sentences.at(-1) ?? text;
  if (unfinished.some((pattern) => pattern.test(text)) || leavesFenceOpen(written) || isDegenerate(text)) return false;
  if (isPlan(last, tools)) return false;
  const isSaid = asks(last) || sentences.some((said) => delivers.test(said));
  return isSaid || !sentences.some((sentence) => isPlan(sentence, tools));
}

function asks(sentence: string): boolean {
  return speaksToUser.test(sentence) && /[?？]\W*$/.test(sentence);
}

/** One letter, or the first word of a sentence that stops there. */
const stray =
  /^(?:\p{L}|an?|the|so|to|it|is|in|on|of|and|or|but|if|as|at|by|for|from|with|that|this|then|thus|hence|first|since|now|we|you|they|he|she|my|your|our|its|there|here|because|let|action|thought|observation|question|input|final|answer)[\s.!,:。…]*$/iu;

const filler = /^(?:ok|okay|sure|yes|no|done|none|n\/a|understood|got it|alright|hmm+|好的|はい|네)[\s.!,。]*$/i;
const openEnd = /[:：,，;、]\s*$|(?:\.\.\.|…)$|^[{[][\s\S]*[}\]]$|^[\s`*_#>|~=.,-]*$/;
/** The beginning of a sentence, and nothing more. */
const beginning = /^\W*(?:based on|according to|as per|with regard to|in order to)\b[^,，.!?:。！？\n]{0,200}$/i;

const promptWords =
  /the input question you must answer|should be one of \[|you should always think about what to do|\$JSON_BLOB|\$TOOL_NAME|this Thought\/Action|use the following format|use a tool, please use the format|Do I need to use a tool|need to use a tool\?|follow[ -]?up questions? needed here/i;

const unfinished = [stray, filler, openEnd, beginning, promptWords];

/** Returns the part of a text to judge: a short text whole, and both ends of a long text. */
function sampleOf(text: string): string {
  const part = 4000;
  return text.length > 2 * part ? `${text.slice(0, part)}\n${text.slice(-part)}` : text;
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const firstPerson =
  /\b(?:I|we)\s+(?:(?:now|then|first|also|still|just|next|probably|can|could|might|may|already)\s+)*(?:need|should|must|have to|has to|will|shall|ought|want to|plan to|going to|would use|would need|can use|could use|can search|could search|can try|could try|can look|can find|can check|can now|can determine|can calculate|can get|can ask|am going|are going|now know|know the (?:final )?answer|have (?:the|all|enough|gathered|found|obtained|calculated|identified)|now have)\b/i;
const shortened =
  /\b(?:(?:I|we)['’]ll|I['’]m going to|let me(?! know)|let['’]?s|let us(?! know)|I['’]d (?:first |then )?(?:search|look|need|use|check|have|start|begin|try))\b|\b(?:another|more|further|additional) [\w ]{0,30}(?:needed|required|necessary)\b/i;
const imperative =
  /^\W*(?:(?:first|next|then|now),?\s+)?(?:search(?:ing)?|look(?:ing)? up|use|using|calculate|check|query|call|need to|try(?:ing)?|find out|action)\b/i;
const remark =
  /^\W*(?:(?:it (?:seems|looks|appears) (?:like |that )?)?(?:the|this|that|my) (?:user|question|human|query|problem|task|next step|input question|tool|previous)\b|to (?:answer|find|determine|solve|get|calculate)\b|in order to\b|since the (?:question|user)\b|user (?:is|wants|asks|asked))/i;
const otherTongues =
  /我需要|我应该|我應該|我将|我要|我会(?:先|使用|用)|让我|讓我|首先|接下来|接下來|需要(?:先|使用|查|搜|调用|計算|计算)|可以使用|用户(?:询问|想|问|的问题|要求)|必要がある|必要があります|べきです|しましょう|ましょう|してみ|検索する|検索します|調べる|調べます|使用します|使います|해야 (?:한다|합니다|할)|필요가 있|필요합니다|하겠습니다|겠다|알아보|검색해|tôi (?:cần|sẽ|phải|nên)|hãy |cần phải|\b(?:necesito|debo|debería|voy a|tengo que|vamos a|primero)\b|\b(?:je dois|je vais|il faut|il me faut|j'ai besoin|d'abord)\b|\b(?:ich muss|ich brauche|ich werde|ich sollte|zuerst)\b|\b(?:preciso|devo|vou)\b|\b(?:ho bisogno|dovrei)\b|мне нужно|я должен|нужно|следует/i;
/** Tells whether a sentence is about the next step or the task, and does not speak to the user. */
function isPlan(sentence: string, tools: ToolNames): boolean {
  if (speaksToUser.test(sentence)) return false;
  if ([firstPerson, shortened, imperative, remark, otherTongues].some((pattern) => pattern.test(sentence))) return true;
  return /[_`]/.test(sentence) && tools.mentioned(sentence).length > 0;
}

const speaksToUser =
  /\blet (?:me|us) know\b|\b(?:tell|give|provide|share|send)\b[^.!?]{0,40}\b(?:me|us)\b|\b(?:help|assist|tell|provide|give|clarify|specify|share|thank|welcome|would you|could you|can you|do you|are you|did you|please|sorry)\b[^.!?]{0,80}\b(?:you|your)\b|\byou\b[^.!?]{0,80}\?|\byou(?:r name)? (?:are|is)\b|^\W*(?:hi|hello|hey|greetings|thanks|thank you|you're welcome)\b|请(?:问|您|提供|告诉)|您|お手伝い|ください|알려 ?주|도와|bạn .{0,60}\?|¿|vous .{0,60}\?|s'il vous plaît|bitte/i;

/** The beginning of an answer: `Here are the results:`. */
const delivers =
  /\b(?:here (?:is|are)|here(?:'|’)s|below (?:is|are)) (?:the|a|an|some|your|what)\b(?! (?:plan|next|approach|step|sequence|format|code|query|thought|reasoning|corrected|tool|action|sql|command|script|input|request|call))[^.!?]{0,120}:|(?:以下是|如下)[^。]{0,60}[:：]/i;

function leavesFenceOpen(text: string): boolean {
  return (text.split("```").length - 1) % 2 === 1;
}

/** Tells whether a text is broken: it repeats itself, or has a script glued to a sentence. */
function isDegenerate(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim().length > 2);
  return /\S#!\//.test(text) || repeats(lines, 6, 0.5) || repeats(text.split(/\s+/), 60, 0.2);
}

function repeats(parts: readonly string[], atLeast: number, leastDistinct: number): boolean {
  return parts.length >= atLeast && new Set(parts).size / parts.length < leastDistinct;
}
