import { writeAddress } from "../address.js";
import { placeBelow } from "../client/parts.js";
import { Chip, type Tone } from "../parts/chip.js";
import { CopyButton } from "../parts/copy-button.js";
import { duration } from "../turn/amounts.js";
import { callSentence, decisionSentence, stepSentence, turnSentence } from "../turn/sentences.js";
import type { Call, Turn } from "../turn/turn.js";
import type { WaitingRequest } from "../wire.js";
import type { KeptStep } from "./answers.js";
import { Data } from "./data.js";
import { type Mark, marksOfInputs } from "./marks.js";
import { Content } from "./message.js";
import { inText } from "./pretty-json.js";
import { Facts, Some } from "./section.js";

interface CallsProps {
  readonly thread: string | undefined;
  readonly turn: Turn;
  readonly calls: readonly Call[];
  readonly kept: KeptStep | undefined;
}

/** The calls of a step, each as a card, with what agents in them did. */
export function CallsView({ thread, turn, calls, kept }: CallsProps) {
  const requests = turn.waiting.flatMap((question) => (question.type === "approval" ? question.requests : []));
  return (
    <Some items={calls}>
      {(call) => (
        <article className="call" aria-label={call.tool}>
          <CallFacts call={call} request={requests.find(({ id }) => id === call.id)} kept={kept} />
          <Some items={call.inner}>
            {(inner) => <InnerAgent inner={inner} place={{ thread, turn: turn.number }} />}
          </Some>
        </article>
      )}
    </Some>
  );
}

interface CallFactsProps {
  readonly call: Call;
  readonly request: WaitingRequest | undefined;
  readonly kept: KeptStep | undefined;
}

/** A call: as it was written and as it ran, what a person decided, and its result. */
function CallFacts({ call, request, kept }: CallFactsProps) {
  const { tool, decision, decided, ms, result: observation } = call;
  const { input, inputPlace, result, resultPlace } = keptCall(call, kept);
  const ran = decision?.type === "edit" ? decision.input : request?.input;
  const marks = ran ? marksOfInputs(input, ran) : [];
  const isChanged = marks.some(({ kind }) => kind !== "same");
  const { text, tone } = stateOf(call, request !== undefined);
  const note = result?.note ?? call.note;
  return (
    <>
      <header>
        <b className="tool-name">{tool}</b>
        <span className="muted number">{ms !== undefined && duration(ms)}</span>
        <Chip tone={tone}>{text}</Chip>
        <CopyButton text={() => inText(ran ?? input)}>Copy input</CopyButton>
      </header>
      <Facts
        facts={{
          [isChanged ? "as written" : "input"]: <Data value={input} place={inputPlace} />,
          [decision ? "as it ran" : "as it will run"]: isChanged && <Marked marks={marks} />,
          "why asked": request?.why,
          decided: decision && `${decisionSentence(decision, decided)}${afterWait(call)}`,
          "ran at": call.by && "the provider of the model",
          note: note && <Data value={note} place={resultPlace && placeBelow(resultPlace, "note")} />,
          [decision?.type === "refuse" ? "told the model" : "result"]:
            result?.content && resultPlace ? (
              <Content content={result.content} place={placeBelow(resultPlace, "content")} />
            ) : (
              observation !== undefined && (
                <Data
                  value={result?.observation ?? observation}
                  place={resultPlace && placeBelow(resultPlace, "observation")}
                />
              )
            ),
        }}
      />
    </>
  );
}

/** What the thread keeps of a call. */
function keptCall({ id, input }: Call, kept: KeptStep | undefined) {
  if (kept === undefined) return { input };
  const { decision, results } = kept.step;
  const actions = decision?.kind === "action" ? decision.actions : [];
  const action = actions.findIndex((one) => one.id === id);
  const result = results.findIndex((one) => one.action.id === id);
  return {
    input: actions[action]?.toolInput ?? input,
    inputPlace: placeBelow(kept.place, "decision", "actions", action, "toolInput"),
    result: results[result],
    resultPlace: placeBelow(kept.place, "results", result),
  };
}

function stateOf({ decision, status }: Call, isAsked: boolean): { readonly text: string; readonly tone: Tone } {
  if (isAsked && decision === undefined) return { text: "waits for you", tone: "person" };
  if (decision?.type === "refuse") return { text: "refused", tone: "person" };
  if (decision?.type === "answer") return { text: "answered in its place", tone: "person" };
  if (status === "error") return { text: "failed", tone: "bad" };
  if (status === "unknown") return { text: "not known whether it ended", tone: "bad" };
  if (decision) return { text: decision.type === "edit" ? "approved with a change" : "approved", tone: "good" };
  return { text: status === undefined ? "has not ended" : "ran", tone: "plain" };
}

function afterWait({ decided }: Call): string {
  if (decided?.askedAt === undefined) return "";
  return `, after ${duration(Date.parse(decided.at) - Date.parse(decided.askedAt))}`;
}

const signs = { same: "span", removed: "del", added: "ins" } as const;

/** A text with what was removed and what was added. */
function Marked({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <pre className="marked" dir="auto">
      <Some items={marks} most={1_000}>
        {({ kind, text }) => {
          const Sign = signs[kind];
          return <Sign>{text}</Sign>;
        }}
      </Some>
    </pre>
  );
}

interface InnerProps {
  readonly inner: Turn;
  readonly place: { readonly thread: string | undefined; readonly turn: number };
}

/** What an agent did in a tool: its sentence, and each step with a link to its prompt. */
function InnerAgent({ inner, place }: InnerProps) {
  const { head, rest } = turnSentence(inner);
  return (
    <section className="inner" aria-label="The agent in this tool">
      <p dir="auto">
        <b>{head}</b>
        {rest}
      </p>
      <ol>
        <Some items={inner.steps}>
          {(step) => (
            <li>
              <a href={writeAddress({ ...place, part: step.reply && `quiet:${step.reply}` })}>{stepSentence(step)}</a>
              <Some items={step.calls}>
                {(call) => (
                  <p className="on-one-line muted" dir="auto">
                    <b className="tool-name">{call.tool}</b> {inText(call.input).slice(0, 200)} →{" "}
                    {call.result?.slice(0, 200) ?? callSentence(call)}
                  </p>
                )}
              </Some>
            </li>
          )}
        </Some>
      </ol>
    </section>
  );
}
