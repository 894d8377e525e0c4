import { steps } from "./task.mjs";

const rounds = 5;
const turnsOfWarmUp = 100;
const turnsOfRound = 20;

/**
 * Measures the time of a step for each contestant, in microseconds: the median of five rounds. A round is the median of its
 * turns. The contestants run one turn each, in a rotating order, so that other work of the machine affects all of them alike.
 *
 * @param runners The functions that run one turn on the thread of the given name.
 */
export async function measure(runners) {
  await timesOfStep(runners, "warm-up", turnsOfWarmUp);
  const times = runners.map(() => []);
  for (let round = 1; round <= rounds; round += 1) {
    globalThis.gc?.();
    const medians = (await timesOfStep(runners, `round-${round}`, turnsOfRound)).map(median);
    for (const [index, time] of medians.entries()) times[index].push(time);
  }
  return times.map(median);
}

async function timesOfStep(runners, name, turns) {
  const times = runners.map(() => []);
  for (let turn = 0; turn < turns; turn += 1) {
    for (let place = 0; place < runners.length; place += 1) {
      const index = (place + turn) % runners.length;
      times[index].push(await timeOfStep(runners[index], `${name}-${turn}`));
    }
  }
  return times;
}

async function timeOfStep(runTurn, thread) {
  const start = performance.now();
  await runTurn(thread);
  return ((performance.now() - start) * 1000) / steps;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}
