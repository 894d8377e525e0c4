import { CopyButton } from "../parts/copy-button.js";
import { capital, purposeWords, stepSentence } from "../turn/sentences.js";
import type { Step, Turn } from "../turn/turn.js";
import { CallsView } from "./calls.js";
import { Data } from "./data.js";
import { inText } from "./pretty-json.js";
import { PromptView, promptMeta, usePrompt } from "./prompt.js";
import { ReplyView, replyMeta } from "./reply.js";

interface QuietProps {
  readonly thread: string | undefined;
  readonly turn: Turn;
  readonly id: string;
}

/** A model call that is no step of the turn, or a step of an agent in a tool: its prompt and its reply. */
export function QuietView({ thread, turn, id }: QuietProps) {
  const prompt = usePrompt(thread, turn, id);
  const quiet = turn.quiet.find((call) => call.id === id);
  const inner = innerSteps(turn).find(({ reply }) => reply === id);
  const asked = quiet ?? inner?.asked;
  return (
    <div key={id}>
      <header className="step-head">
        <h2>{quiet ? capital(purposeWords(quiet.purpose)) : "A step of an agent in a tool"}</h2>
        <span className="step-copies">
          <CopyButton text={() => id}>Copy id</CopyButton>
          {prompt.answer && <CopyButton text={() => inText(prompt.answer)}>Copy prompt</CopyButton>}
        </span>
        <p dir="auto">{inner ? stepSentence(inner) : "A model call that is no step of the turn."}</p>
      </header>
      <section className="step-section">
        <h3>Prompt</h3> <span className="muted number">{promptMeta(prompt, asked)}</span>
        <PromptView loaded={prompt} asked={asked} notYet={prompt.problem && inner && ofInner} />
      </section>
      <section className="step-section">
        <h3>Reply</h3> <span className="muted number">{replyMeta(asked)}</span>
        {inner ? (
          <>
            <ReplyView step={inner} writing="" kept={undefined} />
            <CallsView thread={thread} turn={turn} calls={inner.calls} kept={undefined} />
          </>
        ) : (
          <Data value={prompt.answer?.text ?? quiet?.text ?? ""} />
        )}
      </section>
    </div>
  );
}

const ofInner = "The prompts of agents in tools are not written again.";

/** The steps of the agents in the tools of a turn, at any depth. */
function innerSteps({ steps }: Turn): Step[] {
  const inner = steps.flatMap(({ calls }) => calls.flatMap((call) => call.inner));
  return inner.flatMap((turn) => [...turn.steps, ...innerSteps(turn)]);
}
