import { useState } from "react";
import { placeBelow } from "../client/parts.js";
import { useRemembered } from "../client/remembered.js";
import type { TurnCheckpoint } from "../turn/turn.js";
import { differencePath, differences } from "./answers.js";
import { type Change, changeName, changeSentence } from "./channel-sentences.js";
import { Data } from "./data.js";
import { Fold, More, Some } from "./section.js";

interface ChangesProps {
  readonly thread: string;
  readonly checkpoints: readonly Pick<TurnCheckpoint, "checkpoint" | "nodes">[];
}

/** What a step changed in the state of its thread: a sentence for each channel, its JSON behind it. */
export function ChangesView({ thread, checkpoints }: ChangesProps) {
  if (checkpoints.length === 0)
    return <p className="muted">The checkpoints of this step were pruned, so what it changed is not known.</p>;
  return (
    <Some items={checkpoints} most={20}>
      {({ checkpoint, nodes }) => (
        <section className="changes" aria-label={nodes.join(", ")}>
          <h4 className="muted">{nodes.join(", ") || "up to here"}</h4>
          <ChangesFrom thread={thread} checkpoint={checkpoint} from={0} />
        </section>
      )}
    </Some>
  );
}

interface PageProps {
  readonly thread: string;
  readonly checkpoint: string;
  readonly from: number;
}

function ChangesFrom({ thread, checkpoint, from }: PageProps) {
  const [isMoreWanted, setMoreWanted] = useState(false);
  const path = differencePath(thread, checkpoint, from);
  const { answer, problem = "Loading…" } = useRemembered(differences, path);
  if (answer === undefined) return <p className="muted">{problem}</p>;
  const { changes, next, count } = answer;
  return (
    <>
      {changes.length === 0 && <p className="muted">nothing</p>}
      <Some items={changes}>
        {(change) => (
          <Fold title={<ChangeTitle change={change} />}>
            {valuesOf(change).map((name) => (
              <div key={name} className="changed">
                <h5 className="muted">{name}</h5>
                <Data
                  value={Reflect.get(change, name)}
                  place={placeBelow({ from: path, cut: change.cut ?? [] }, name)}
                />
              </div>
            ))}
          </Fold>
        )}
      </Some>
      {next !== null && !isMoreWanted && <More left={count - next} onClick={() => setMoreWanted(true)} />}
      {next !== null && isMoreWanted && <ChangesFrom thread={thread} checkpoint={checkpoint} from={next} />}
    </>
  );
}

function ChangeTitle({ change }: { readonly change: Change }) {
  return (
    <>
      <span className="change-name">{changeName(change)}</span> <span>{changeSentence(change)}</span>
    </>
  );
}

function valuesOf(change: Change): string[] {
  if (!("at" in change)) return ["before", "after"].filter((name) => name in change);
  return (["removed", "added"] as const).filter((name) => change[name].length > 0);
}
