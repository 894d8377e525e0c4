import { startModelServer } from "./model-server.mjs";

/**
 * Has a conversation, and measures what the model was sent.
 *
 * @returns The number of calls, the bytes of all prompts and those that a prefix cache has, the number of follow-ups, those whose
 *   prompt has the person's own words and those with all that they need, and what was missing.
 */
export async function measure({ protocol, make }, { id, turns }) {
  const server = await startModelServer(protocol);
  try {
    const results = new Map(turns.map(({ call, result }) => [call, result]));
    const runTurn = await make(server.url, (query) => results.get(query) ?? "nothing found");
    const total = { id, calls: 0, bytes: 0, cached: 0, followUps: 0, ownWords: 0, complete: 0, missing: [] };
    const sent = [];
    for (const [n, turn] of turns.entries()) {
      server.take(turn);
      const answer = await runTurn(turn.ask);
      if (answer !== turn.answer) throw new Error(`Conversation ${id} answered ${answer}, not ${turn.answer}.`);
      const requests = server.requests.slice(sent.length);
      for (const { prompt } of requests) {
        total.calls += 1;
        total.bytes += Buffer.byteLength(prompt);
        total.cached += cachedBytes(prompt, sent);
        sent.push(prompt);
      }
      if (n > 0) addFollowUp(total, turn, requests.at(-1).text);
    }
    return total;
  } finally {
    await server.close();
  }
}

function addFollowUp(total, { ask, needs = [] }, text) {
  const missing = [ask, ...needs].filter((words) => !text.includes(words));
  total.followUps += 1;
  if (!missing.includes(ask)) total.ownWords += 1;
  if (needs.every((words) => text.includes(words))) total.complete += 1;
  total.missing.push(...missing);
}

/** Returns the bytes of a prompt with which an earlier prompt of the conversation begins, too. */
function cachedBytes(prompt, earlier) {
  return Math.max(0, ...earlier.map((before) => Buffer.byteLength(prompt.slice(0, commonLength(prompt, before)))));
}

function commonLength(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
