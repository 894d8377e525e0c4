// Many runs at once with a reader each, on our server and on LangGraph's dev server.
import { askOnce, clientOf, median, times } from "./clients.mjs";
import { forkServer, startLanggraph, usageOf } from "./process.mjs";

export async function atOnce({ folder, newFile, runs, rounds }) {
  const sides = {
    ours: () => forkServer({ db: `sqlite:${newFile()}`, maxRuns: runs, maxStreams: runs }),
    "LangGraph's": () => startLanggraph(folder, runs),
  };
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of Object.entries(sides)) results[name].push(await measure(await start(), runs));
  }
  console.log(`\n${runs} runs at once, a reader each, median of ${rounds}`);
  for (const [name, figures] of Object.entries(results)) {
    const [rate, seconds, peak, first, failed] = ["rate", "seconds", "peak", "first", "failed"].map((key) =>
      median(figures.map((one) => one[key])),
    );
    const cells = [
      `${rate.toFixed(1)} turns/s`,
      `${seconds.toFixed(1)} s of processor`,
      `${peak.toFixed(0)} MB at most`,
    ];
    console.log(
      `  ${name.padEnd(12)} ${cells.join(", ")}, first token after ${(first / 1000).toFixed(2)} s, ${failed} failed`,
    );
  }
}

async function measure(server, runs) {
  const client = clientOf(server);
  try {
    const modes = ["values", "updates", "messages-tuple"];
    // With so many connections at once one may fail. It is counted.
    const ask = () => askOnce(client, "plain", modes).catch(() => undefined);
    // Node.js first has to compile the code.
    await times(runs, runs, ask);
    const before = usageOf(server.pid);
    const begun = performance.now();
    const firsts = (await times(runs, runs, ask)).filter((first) => first !== undefined);
    const seconds = (performance.now() - begun) / 1000;
    const after = usageOf(server.pid);
    return {
      rate: firsts.length / seconds,
      seconds: after.seconds - before.seconds,
      peak: after.peak,
      first: median(firsts),
      failed: runs - firsts.length,
    };
  } finally {
    await server.end();
  }
}
