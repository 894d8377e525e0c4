import { console as remote } from "node:inspector";
import { Session } from "node:inspector/promises";

const dist = new URL("../../dist/", import.meta.url).href;
const own = (url) => url.startsWith(dist);

/** Counts our functions that run in a turn, and our frames from `invoke` to the model, with those of awaited calls. */
export async function shapeOf({ turn, model }) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await turn("functions");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const functions = result
    .filter(({ url }) => own(url))
    .flatMap((script) => script.functions.slice(1))
    .filter(({ ranges: [range] }) => range.count > 0).length;
  const frames = await framesOf(session, turn, model);
  session.disconnect();
  return { functions, frames };
}

async function framesOf(session, turn, model) {
  const marker = "glassloop-frames";
  let frames = 0;
  session.on("Runtime.consoleAPICalled", ({ params }) => {
    if (params.args[0]?.value !== marker) return;
    const seen = [];
    for (let trace = params.stackTrace; trace; trace = trace.parent)
      seen.push(...trace.callFrames.filter(({ url }) => own(url)));
    const names = seen.map(({ functionName, url, lineNumber }) => `${functionName} ${url} ${lineNumber}`);
    frames = names.filter((name, n) => name !== names[n - 1]).length;
  });
  await session.post("Runtime.enable");
  await session.post("Debugger.enable");
  await session.post("Debugger.setAsyncCallStackDepth", { maxDepth: 64 });
  model.onAsked = () => {
    model.onAsked = () => {};
    remote.trace(marker);
  };
  await turn("frames");
  return frames;
}
