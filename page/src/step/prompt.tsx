import { type ReactNode, useState } from "react";
import { placeBelow } from "../client/parts.js";
import { type Loaded, useRemembered } from "../client/remembered.js";
import { Note } from "../parts/note.js";
import { count, counted, share } from "../turn/amounts.js";
import type { AskedModel, Turn } from "../turn/turn.js";
import type { Prompt } from "../wire.js";
import { promptPath, prompts } from "./answers.js";
import { Data } from "./data.js";
import { Message } from "./message.js";
import { Facts, Fold, inParts, More, Some } from "./section.js";

/** A prompt as far as it came, and the path of its messages from a number on. */
export interface LoadedPrompt extends Loaded<Prompt> {
  readonly pathFrom: (from?: number) => string;
}

/** Loads the prompt of a call. */
export function usePrompt(thread: string | undefined, turn: Turn, call: string | undefined): LoadedPrompt {
  const pathFrom = (from?: number) => promptPath(thread ?? "", call ?? "", turn, from);
  // A prompt is kept a moment after its reply came.
  const progress = `${turn.kept?.end} ${turn.steps.flatMap(({ calls }) => calls.map(({ status }) => status)).join()}`;
  const isNamed = thread !== undefined && call !== undefined;
  return { ...useRemembered(prompts, isNamed ? pathFrom() : undefined, progress), pathFrom };
}

/** What is said of a prompt beside its title. */
export function promptMeta(
  { answer }: LoadedPrompt,
  { inputTokens, cacheReadTokens }: Partial<AskedModel> = {},
): string {
  return inParts(
    answer && counted(answer.count, "message"),
    inputTokens !== undefined && `${count(inputTokens)} tokens`,
    inputTokens !== undefined &&
      cacheReadTokens !== undefined &&
      `${share(cacheReadTokens, inputTokens)} from the cache`,
    answer?.exact && "exactly as it was sent",
  );
}

interface PromptProps {
  readonly loaded: LoadedPrompt;
  readonly asked: AskedModel | undefined;
  /** What is said if the prompt is not kept yet. */
  readonly notYet?: string | false | undefined;
}

/** A prompt as it was sent: what is new in it, and the rest on demand. */
export function PromptView({ loaded: { answer: prompt, problem, pathFrom }, asked, notYet }: PromptProps) {
  if (prompt === undefined) {
    const words = notYet || problem || "Loading…";
    return <p className={words === problem ? "problem" : "muted"}>{words}</p>;
  }
  const { same, tools, stop, outputSchema, exact, differs = "", cut = [], model, protocol } = prompt;
  const place = { from: pathFrom(), cut };
  return (
    <>
      {asked?.inputTokens !== undefined && <CacheBar part={asked.cacheReadTokens ?? 0} whole={asked.inputTokens} />}
      {!exact && <Note tone="person">{`This may not be what was sent. ${differs}`}</Note>}
      {same > 0 && (
        <Fold title={`${counted(same, "message")} as in the prompt before`}>
          <Messages pathFrom={pathFrom} begin={0} end={same} isNew={false} />
        </Fold>
      )}
      <MessagesOf
        prompt={prompt}
        end={prompt.count}
        begin={same}
        isNew={same > 0}
        pathFrom={pathFrom}
        from={pathFrom()}
      />
      {tools.length > 0 && (
        <Fold title={`${counted(tools.length, "tool")}: ${tools.map(({ name }) => name).join(", ")}`}>
          <Some items={tools}>
            {({ name, description, parameters }, n) => (
              <div className="tool">
                <b className="tool-name">{name}</b>
                <Data value={description} place={placeBelow(place, "tools", n, "description")} />
                {parameters && <Data value={parameters} place={placeBelow(place, "tools", n, "parameters")} />}
              </div>
            )}
          </Some>
        </Fold>
      )}
      {outputSchema !== undefined && (
        <Fold title="The form of the answer">
          <Data value={outputSchema} place={placeBelow(place, "outputSchema")} />
        </Fold>
      )}
      <Facts facts={{ model, protocol, "stops at": stop.map((text) => JSON.stringify(text)).join(", ") }} />
    </>
  );
}

/** The part of a whole as a bar. */
function CacheBar({ part, whole }: { readonly part: number; readonly whole: number }) {
  return (
    <div className="cache-bar" role="img" aria-label={`${count(part)} of ${count(whole)} tokens from the cache`}>
      <i style={{ width: share(part, whole).replace(" ", "") }} />
    </div>
  );
}

interface MessagesProps {
  readonly pathFrom: (from: number) => string;
  readonly begin: number;
  readonly end: number;
  readonly isNew: boolean;
}

/** Messages of a prompt from a number on. */
function Messages(props: MessagesProps) {
  const path = props.pathFrom(props.begin);
  const { answer, problem = "Loading…" } = useRemembered(prompts, path);
  return answer ? <MessagesOf {...props} prompt={answer} from={path} /> : <p className="muted">{problem}</p>;
}

/** The messages of a page, and the next page on demand. */
function MessagesOf({
  prompt,
  from,
  ...props
}: MessagesProps & { readonly prompt: Prompt; readonly from: string }): ReactNode {
  const { begin, end, isNew } = props;
  const [isMoreWanted, setMoreWanted] = useState(false);
  const shown = prompt.messages.slice(0, end - begin);
  const next = begin + shown.length;
  return (
    <>
      <Some items={shown}>
        {(message) => <Message message={message} isNew={isNew} place={{ from, cut: message.cut ?? [] }} />}
      </Some>
      {next < end && !isMoreWanted && <More left={end - next} onClick={() => setMoreWanted(true)} />}
      {next < end && isMoreWanted && <Messages {...props} begin={next} />}
    </>
  );
}
