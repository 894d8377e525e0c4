// Calculations that are large, deep, in words, or no calculations at all. Their results are checked with bigints.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expressions } from "./expressions.mjs";
import { less, minus, read, size, times } from "./rationals.mjs";

const longestMs = 100;
const hangMs = 5000;

const program = `
import { parentPort } from "node:worker_threads";
import { calculator } from ${JSON.stringify(new URL("../../dist/tools/index.js", import.meta.url).href)};
const tool = calculator();
await tool.invoke({ expression: "1 + 1" });
parentPort.on("message", async (expression) => {
  const start = performance.now();
  const outcome = await tool.invoke({ expression }).then((answer) => ({ answer }), ({ code, message }) => ({ code, message }));
  parentPort.postMessage({ ...outcome, time: performance.now() - start });
});
parentPort.postMessage("ready");`;

/** Works out each expression in a worker, which is replaced if it hangs. */
export async function calculations(chance, report, count = 2000) {
  const items = expressions(chance, count);
  const found = { slow: [], wrong: [], unclear: [], refused: [], tooLong: [] };
  let longest = 0;
  let worker = await start();
  for (const item of items) {
    worker.postMessage(item.text);
    const outcome = await answerOf(worker);
    if (outcome === undefined) {
      await worker.terminate();
      worker = await start();
    }
    const { time = hangMs, answer, message } = outcome ?? {};
    longest = Math.max(longest, time);
    if (time > longestMs) found.slow.push(item);
    if (outcome && !isClear(outcome)) found.unclear.push({ ...item, answer: answer ?? message });
    if (answer !== undefined && isWrong(item, answer)) found.wrong.push({ ...item, answer });
    if (answer === undefined && item.value) {
      const kind = / up to 2\^53| to 2\^53/.test(message) ? "tooLong" : "refused";
      found[kind].push({ ...item, answer: message });
    }
  }
  await worker.terminate();
  const checked = items.filter(({ value }) => value !== undefined).length;
  report.note(`${count} calculations, ${checked} of them with a value that is known`);
  report.figure(`over ${longestMs} ms`, found.slow.length, 0);
  report.figure("wrong", found.wrong.length, 0);
  report.figure("neither a number nor a sentence", found.unclear.length, 0);
  report.figure("refused, although there is a value", found.refused.length, 0);
  report.figure("refused, as a number is above 2^53", found.tooLong.length);
  report.figure("the longest, in ms", Math.round(longest));
  for (const [kind, those] of Object.entries(found)) {
    for (const { text, answer = "" } of those.slice(0, 5)) report.note(`${kind}: ${text.slice(0, 80)} => ${answer}`);
  }
}

async function start() {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
  await once(worker, "message");
  return worker;
}

async function answerOf(worker) {
  const stop = AbortSignal.timeout(hangMs);
  return once(worker, "message", { signal: stop }).then(
    ([outcome]) => outcome,
    () => undefined,
  );
}

const number = /^(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)((?: \([^()]+\))?)$/;

function isClear({ code, message, answer }) {
  if (answer !== undefined) return number.test(answer);
  return code === "calculation-failed" && /^Cannot work out ".*": .+\.$/s.test(message) && message.length <= 1000;
}

/**
 * A result is right if 14 digits are. A whole number under 10^13 must be exact. If a note says that an intermediate result is
 * inexact, and a difference or a step between whole numbers follows, no digit is checked.
 */
function isWrong({ text, value }, answer) {
  const [, digits, notes] = number.exec(answer) ?? [];
  if (value === undefined || digits === undefined) return false;
  if (notes.includes("rounded") && /[-−]|minus|mod|floor|ceil|round/.test(text)) return false;
  const difference = size(minus(read(digits), value));
  if (value[1] === 1n && less(size(value), [10n ** 13n, 1n]) && !notes.includes("rounded")) return difference[0] !== 0n;
  return less(times(size(value), [1n, 10n ** 13n]), difference);
}
