/** The kind of a labelled part of a reply. */
export type LabelKind = "question" | "thought" | "action" | "input" | "observation" | "answer";

/** The meaning of a word before a colon. */
export interface Meaning<Kind extends string = LabelKind> {
  readonly kind: Kind;
  /**
   * Tells whether other texts use the word too, such as `Input` or `Answer`. Such a word is a label only in some places of a
   * reply.
   */
  readonly weak: boolean;
}

type Words<Kind extends string> = Readonly<Partial<Record<Kind, string>>>;

/** The words of labels with their meaning. Case, spaces, hyphens and underscores do not matter. */
export class Vocabulary<Kind extends string = LabelKind> {
  private readonly meanings = new Map<string, Meaning<Kind>>();

  /**
   * Makes a vocabulary.
   *
   * @param words The words of each kind, separated by bars.
   * @param weakWords The words that other texts use too, in the same form.
   */
  constructor(words: Words<Kind>, weakWords?: Words<Kind>) {
    if (weakWords) this.add(weakWords, true);
    this.add(words, false);
  }

  private add(words: Words<Kind>, weak: boolean): void {
    for (const kind in words) {
      for (const word of words[kind]?.split("|") ?? []) this.meanings.set(fold(word), { kind, weak });
    }
  }

  meaningOf(word: string): Meaning<Kind> | undefined {
    return this.meanings.get(fold(word));
  }

  /** Tells whether an unfinished word may become one of these words. */
  mayBecome(written: string): boolean {
    const beginning = fold(written);
    return [...this.meanings.keys()].some((known) => known.startsWith(beginning));
  }
}

function fold(word: string): string {
  return word
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[ _\u00a0,-]/g, "");
}

/** The labels of the react family, in the languages into which models were seen to translate them. */
export const protocolWords = new Vocabulary(
  {
    question: "question|new input|问题|問題|質問|질문|câu hỏi|pregunta|frage|pergunta|domanda|вопрос",
    thought:
      "thought|thoughts|thought process|thinking|reasoning|思考|思考过程|思考過程|想法|考え|생각|suy nghĩ|pensamiento|pensée|" +
      "réflexion|gedanke|gedanken|pensamento|pensiero|мысль|размышление|do i need to use a tool? yes|do i need to use a tool? no",
    action:
      "action|next action|action to take|行动|动作|操作|行動|アクション|행동|액션|hành động|acción|aktion|handlung|ação|azione|" +
      "действие",
    input:
      "action input|action inputs|action's input|input to the action|tool input|行动输入|动作输入|操作输入|行动的输入|动作的输入|" +
      "工具输入|行動輸入|動作輸入|行動入力|アクション入力|アクションの入力|行動の入力|행동 입력|액션 입력|đầu vào hành động|" +
      "đầu vào của hành động|entrada de la acción|entrada de acción|entrée de l'action|entrée d'action|aktionseingabe|" +
      "aktion eingabe|eingabe der aktion|entrada da ação|input dell'azione|ввод действия|входные данные действия|входные данные",
    observation:
      "observation|observations|obs|tool output|tool result|tool response|action output|action result|action output observation|" +
      "tool output observation|expected observation|simulated observation|(simulated) observation|hypothetical observation|观察|观察结果|觀察|觀察結果|" +
      "観察|観察結果|관찰|관찰 결과|quan sát|observación|beobachtung|observação|osservazione|наблюдение",
    answer:
      "final answer|final response|final answer is|the final answer is|so the final answer is|the final answer|my final answer|" +
      "my final answer is|最终答案|最终回答|最终答复|最终的答案|最终的回答|最后答案|最后回答|最后的答案|最终答案是|最終答案|最終回答|最終的な答え|最終的な回答|" +
      "最後の答え|최종 답변|최종 답|최종 응답|최종 대답|최종 정답|câu trả lời cuối cùng|trả lời cuối cùng|đáp án cuối cùng|" +
      "respuesta final|réponse finale|endgültige antwort|finale antwort|abschließende antwort|resposta final|risposta finale|" +
      "окончательный ответ|финальный ответ|итоговый ответ",
  },
  {
    action:
      "tool|tool name|tool to use|use tool|selected tool|function|function name|function call|tool call|action name|工具|工具名称|" +
      "ツール|도구|herramienta|outil|werkzeug|công cụ",
    input:
      "input|inputs|arguments|argument|args|parameters|parameter|params|content|query|search query|action content|" +
      "action arguments|action args|action parameters|action params|action query|tool arguments|tool args|tool parameters|输入|" +
      "参数|輸入|入力|입력|đầu vào|entrada|eingabe|entrée|ввод",
    observation: "result|results|output",
    answer:
      "answer|ai|assistant|response|reply|my answer|the answer is|答案|回答|答え|답변|정답|trả lời|câu trả lời|respuesta|réponse|" +
      "antwort|resposta|risposta|ответ",
  },
);

/** A human who speaks ends the answer of a model that speaks as `AI:`. */
export const speakers = new Vocabulary({ human: "human|user" });

const finishWords = new Set(["finish", "finished"]);

/**
 * Tells whether a word is a protocol's own word for giving the answer, in any language. A tool must not have such a
 * name.
 */
export function isFinishWord(written: string): boolean {
  const word = written.trim();
  const meaning = protocolWords.meaningOf(word);
  return finishWords.has(word.toLowerCase()) || (meaning?.kind === "answer" && !meaning.weak);
}
