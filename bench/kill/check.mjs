// Compares the result of a run with the plan.
import { answer, picture, question, refused, steps, turns } from "./plan.mjs";

/**
 * Counts the turns and effects of a run, and those that were lost or done twice.
 *
 * @param run The run's number.
 * @param messages The thread's messages at the end.
 * @param lines The lines that the tools appended to the file, in order.
 * @param approve True if a person decided about the effects.
 * @param pictures True if each question had a picture. A turn without it is lost.
 */
export function checkRun(run, messages, lines, { approve, pictures }) {
  const texts = messages.map((message) => message.text);
  const images = messages.map(({ content }) => (Array.isArray(content) ? content.at(-1)?.data : undefined));
  const found = {
    turns: 0,
    lostTurns: 0,
    effects: 0,
    duplicatedEffects: 0,
    lostEffects: 0,
    refusedEffects: 0,
    unknownOutcomes: 0,
  };
  for (let turn = 1; turn <= turns; turn += 1) {
    const whole = [question(run, turn), answer(run, turn)].every((text) => count(texts, text) === 1);
    const isShown = !pictures || count(images, picture(run, turn)) === 1;
    found[whole && isShown ? "turns" : "lostTurns"] += 1;
    for (const { step, index, line } of appended()) {
      const times = count(lines, `${turn} ${line}`);
      const observation = observationOf(messages, question(run, turn), step, index);
      if (approve && line === refused) {
        found.refusedEffects += times;
        found.lostEffects += observation.startsWith("A person refused") ? 0 : 1;
        continue;
      }
      const isUnknown = observation.startsWith("It is not known");
      found.effects += times;
      found.duplicatedEffects += Math.max(0, times - 1);
      found.unknownOutcomes += isUnknown ? 1 : 0;
      found.lostEffects += times === 0 && !isUnknown ? 1 : 0;
    }
  }
  return found;
}

/**
 * Finds the result of a call.
 *
 * @param step The number of the call's step in its turn, from 1.
 * @param index The number of the call in its step, from 1.
 * @returns Its text; empty if the turn has no such result.
 */
export function observationOf(messages, question, step, index) {
  const turn = messages.slice(messages.findIndex(({ text }) => text === question) + 1);
  const reply = turn.filter(({ type }) => type === "ai")[step - 1];
  return turn.find(({ id }) => id === `${reply?.id}-${index}-observation`)?.text ?? "";
}

/** Lists the calls of a turn that append lines. */
export function appended() {
  return steps.flatMap((calls, step) =>
    calls.flatMap(({ name, line }, index) => (name === "append" ? [{ step: step + 1, index: index + 1, line }] : [])),
  );
}

function count(values, value) {
  return values.filter((other) => other === value).length;
}

/** Names the model call that is at work in this state of a thread. This call may be made again. */
export function callInFlight(run, { values, next }) {
  const { messages = [], turn, intermediateSteps = [] } = values;
  if (next.includes("plan")) return `${run} ${turn.number} ${intermediateSteps.length + 1}`;
  if (messages.length === 0 || messages.at(-1).type === "human") return `${run} ${(turn?.number ?? 0) + 1} rephrase`;
  return undefined;
}
