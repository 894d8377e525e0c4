import { Finder } from "./finder.js";

/** What a labelled part of a reply is. */
export type LabelKind = "question" | "thought" | "action" | "input" | "observation" | "answer";

/** A label as it stands in a reply: `Action:`, `**Thought 2:**`, `### Final Answer`, `最终答案：`. */
export interface Label {
  readonly kind: LabelKind;
  /** A word that not only protocols use, such as `Input` or `Answer`: it counts only where the reply's shape says so. */
  readonly weak: boolean;
  /** The word as written. */
  readonly word: string;
  /** What stands before the word: list marks, hashes, asterisks, backticks. */
  readonly decoration: string;
  /** Whether a colon ends it. Without one it is a heading: alone on its line. */
  readonly colon: boolean;
  /** Whether other text stands before it on its line. */
  readonly inline: boolean;
  /** Where the label begins, decoration included. */
  readonly start: number;
  /** Where the text after the label begins. */
  readonly end: number;
}

type Words = Partial<Readonly<Record<LabelKind, string>>>;

/** The words models use for each part, in the languages they were seen to translate them to, separated by bars. */
const strongWords: Words = {
  question: "question|问题|問題|質問|질문|câu hỏi|pregunta|frage|pergunta|domanda|вопрос",
  thought:
    "thought|thoughts|thought process|thinking|reasoning|思考|思考过程|思考過程|想法|考え|생각|suy nghĩ|pensamiento|pensée|" +
    "réflexion|gedanke|gedanken|pensamento|pensiero|мысль|размышление",
  action:
    "action|next action|action to take|行动|动作|操作|行動|アクション|행동|액션|hành động|acción|aktion|handlung|ação|azione|действие",
  input:
    "action input|action inputs|action's input|input to the action|tool input|行动输入|动作输入|操作输入|行动的输入|动作的输入|" +
    "工具输入|行動輸入|動作輸入|行動入力|アクション入力|アクションの入力|行動の入力|행동 입력|액션 입력|đầu vào hành động|" +
    "đầu vào của hành động|entrada de la acción|entrada de acción|entrée de l'action|entrée d'action|aktionseingabe|" +
    "aktion eingabe|eingabe der aktion|entrada da ação|input dell'azione|ввод действия|входные данные действия|входные данные",
  observation:
    "observation|observations|obs|tool output|tool result|tool response|action output|action result|观察|观察结果|觀察|觀察結果|" +
    "観察|観察結果|관찰|관찰 결과|quan sát|observación|beobachtung|observação|osservazione|наблюдение",
  answer:
    "final answer|final response|final answer is|the final answer is|so the final answer is|the final answer|my final answer|" +
    "my final answer is|最终答案|最终回答|最终答复|最终的答案|最后答案|最后的答案|最终答案是|最終答案|最終回答|最終的な答え|最終的な回答|" +
    "最後の答え|최종 답변|최종 답|최종 응답|최종 대답|최종 정답|câu trả lời cuối cùng|trả lời cuối cùng|đáp án cuối cùng|" +
    "respuesta final|réponse finale|endgültige antwort|finale antwort|abschließende antwort|resposta final|risposta finale|" +
    "окончательный ответ|финальный ответ|итоговый ответ",
};

const weakWords: Words = {
  action:
    "tool|tool name|tool to use|use tool|selected tool|function|function name|function call|tool call|action name|工具|工具名称|" +
    "ツール|도구|herramienta|outil|werkzeug|công cụ",
  input:
    "input|inputs|arguments|argument|args|parameters|parameter|params|content|query|search query|action content|" +
    "action arguments|action args|action parameters|action params|action query|tool arguments|tool args|tool parameters|输入|" +
    "参数|輸入|入力|입력|đầu vào|entrada|eingabe|entrée|ввод",
  answer:
    "answer|ai|assistant|response|reply|my answer|the answer is|答案|回答|答え|답변|정답|trả lời|câu trả lời|respuesta|réponse|" +
    "antwort|resposta|risposta|ответ",
};

interface Meaning {
  readonly kind: LabelKind;
  readonly weak: boolean;
}

const meanings = new Map<string, Meaning>([...meaningsOf(weakWords, true), ...meaningsOf(strongWords, false)]);

function meaningsOf(words: Words, weak: boolean): [string, Meaning][] {
  const kinds: LabelKind[] = ["question", "thought", "action", "input", "observation", "answer"];
  return kinds.flatMap((kind) => listed(words, kind).map((word): [string, Meaning] => [fold(word), { kind, weak }]));
}

function listed(words: Words, kind: LabelKind): string[] {
  return words[kind]?.split("|") ?? [];
}

function fold(word: string): string {
  return word
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[ _\u00a0-]/g, "");
}

// Every repetition below is bounded and followed by what it cannot match itself: no backtracking beyond a label's length.
const gap = "[ \\t\\u00a0\\u3000]";
const listNumber = `(?:\\d{1,3}[.)]${gap}{0,3}[*_\`#[【<]{0,6}${gap}{0,2})?`;
const opening = `[^\\p{L}\\p{N}\\n"'“”‘’«$%&+=/@({|~:：]{0,12}${listNumber}`;
const number = `(?:${gap}?#?\\d{1,3}|${gap}?\\(\\d{1,3}\\))?`;
const closing = "[ \\t\\u00a0*_`\\]】>]{0,8}";
const anyWord = alternation([...Object.values(strongWords), ...Object.values(weakWords)].join("|"));
const emphasis = "(?:\\*{1,3}|__|`)?";

/** A label that begins a line. */
const lineLabel = new RegExp(`^(${opening})(${anyWord})${number}${closing}(?:([:：])${emphasis}|$)`, "gimu");

const inlineWords =
  "Action Input|Action|Final Answer|Observation|Thought|最终答案|最终回答|最后答案|最终答案是|最終答案|最終回答|最終的な答え|최종 답변";
/** A label within a line: only the protocol's own words, capitalised, after a space or the end of a sentence. */
const inlineLabel = new RegExp(
  `(?<=[\\s.,;!?)\\]}*。，；！？）】])(\\*{0,3})(${alternation(inlineWords)})${number}\\*{0,3}${gap}?[:：]${emphasis}`,
  "gu",
);

function alternation(words: string): string {
  const longestFirst = [...new Set(words.split("|"))].sort((a, b) => b.length - a.length);
  return longestFirst.map((word) => word.replaceAll(" ", "[ _\\u00a0-]?").replaceAll("'", "['’]")).join("|");
}

/** The labels that begin a line, and those within one. */
export function labelFinders(text: string): { readonly lines: Finder<Label>; readonly inlines: Finder<Label> } {
  return {
    lines: new Finder(text, lineLabel, (match) => toLabel(match, false)),
    inlines: new Finder(text, inlineLabel, (match) => toLabel(match, true)),
  };
}

function toLabel(match: RegExpExecArray, inline: boolean): Label | undefined {
  const [whole, decoration = "", word = "", colon] = match;
  const meaning = meanings.get(fold(word));
  if (!meaning) return undefined;
  const start = match.index;
  const label = {
    ...meaning,
    word,
    decoration,
    colon: inline || colon !== undefined,
    inline,
    start,
    end: start + whole.length,
  };
  return label.colon || isHeading(label) ? label : undefined;
}

/** Without a colon a label is one when it is marked up as a heading, or is `Observation`, where a stop sequence cuts. */
function isHeading({ kind, weak, word, decoration }: Omit<Label, "colon">): boolean {
  if (weak) return false;
  if (word === "Observation" || word === "Final Answer" || word === "Action Input") return true;
  return kind !== "question" && /[#*_[【`]/.test(decoration);
}
