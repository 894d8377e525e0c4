import { paragraphs } from "../../base/paragraphs.js";
import type { HookPlace } from "../parts/middleware.js";
import type * as plug from "../parts/plugin.js";
import type { Reached } from "../parts/reached.js";
import type { AgentTool } from "../parts/tools.js";
import type { RunStart, Work, WrapWork } from "../run/work.js";
import type { ActionResult } from "../state/decision.js";

/**
 * The seams of `Plugin`, each for all plug-ins of an agent: their order, and what counts if several have something to say.
 * `Plugin` tells what each seam is for.
 */
type Plugins = readonly plug.Plugin[];

/** Tells whether a plug-in has one of some hooks or wrappers. */
export function hasHook(plugins: Plugins, ...places: readonly (HookPlace | "wrapModelCall")[]): boolean {
  return plugins.some((plugin) => places.some((place) => plugin[place] !== undefined));
}

/** Begins a run within all that stands around it. */
export function wrapRun<Value>(
  plugins: Plugins,
  run: RunStart,
  begin: (run: RunStart) => Promise<AsyncGenerator<Value>>,
): Promise<AsyncGenerator<Value>> {
  const wrappers = plugins.flatMap((plugin) => plugin.wrapRun ?? []);
  return wrappers.reduceRight<typeof begin>((next, wrap) => (run) => wrap(run, next), begin)(run);
}

/** Returns what stands around the work of a run that begins; undefined if nothing does. */
export function wrapWork(plugins: Plugins): WrapWork | undefined {
  const wrappers = plugins.flatMap((plugin) => plugin.wrapWork ?? []);
  if (wrappers.length === 0) return undefined;
  return <Result>(work: Work, begin: (work: Work) => Promise<Result>) =>
    wrappers.reduceRight<typeof begin>((next, wrap) => (work) => wrap(work, next), begin)(work);
}

/** Returns what all write when a turn begins. */
export function beginTurn(plugins: Plugins, start: plug.TurnStart): plug.Written {
  return Object.assign({}, ...plugins.map((plugin) => plugin.beginTurn?.(start)));
}

/** Returns the most steps that all let a turn take. */
export function mostSteps(plugins: Plugins): number {
  return Math.min(...plugins.map((plugin) => plugin.mostSteps ?? Infinity));
}

/** Returns what keeps a turn from a call of a model: the first that there is. */
export async function beforeAsk(plugins: Plugins, call: plug.NextCall): Promise<Reached | undefined> {
  for (const plugin of plugins) {
    const reached = plugin.beforeAsk && (await plugin.beforeAsk(call));
    if (reached) return reached;
  }
  return undefined;
}

/** Returns the milliseconds that a call may take: the fewest. */
export function timeFor(plugins: Plugins, call: plug.TimedCall): number {
  return Math.min(...plugins.map((plugin) => plugin.timeFor?.(call) ?? Infinity));
}

/** Returns what all add to a request. */
export function request(plugins: Plugins, request: plug.ProposedRequest): plug.Addition {
  const all = plugins.flatMap((plugin) => plugin.request?.(request) ?? []);
  return {
    instructions: paragraphs(...all.map(({ instructions }) => instructions)),
    definition: all.map(({ definition }) => definition).join(""),
    tools: all.flatMap(({ tools }) => tools),
    ...(all.some(({ options }) => options) && { options: Object.assign({}, ...all.map(({ options }) => options)) }),
  };
}

/** The listeners to a reply. */
interface Listening {
  readonly listeners: readonly plug.ReplyListener[];
  /** True if a plug-in may change the reply. */
  readonly isHeld: boolean;
  /** Tells the words so far: all listeners, or the only one that may change them. */
  words(text: string, call?: plug.WrittenCall): void;
}

/** Lets all listen to a reply that begins. */
export function listen(plugins: Plugins, reply: plug.BegunReply): Listening {
  const changing = plugins.filter((plugin) => plugin.changesReplies ?? plugin.afterModel ?? plugin.afterAgent);
  const all = plugins.flatMap((plugin) => {
    const listener = plugin.listen?.(reply);
    return listener ? [{ listener, hearsWords: changing.every((other) => other === plugin) }] : [];
  });
  const hearing = all.filter(({ hearsWords }) => hearsWords);
  return {
    listeners: all.map(({ listener }) => listener),
    isHeld: changing.length > 0,
    words: (text, call) => {
      for (const { listener } of hearing) listener.words?.(text, call);
    },
  };
}

/** Returns what is taken for what was read in a reply. The last plug-in is asked first. */
export function read(plugins: Plugins, said: plug.Said, given: plug.GivenReply): plug.Said {
  return plugins.reduceRight((read, plugin) => plugin.read?.(read, given) ?? read, said);
}

/** Tells whether one may judge the calls of a tool. */
export function judges(plugins: Plugins, tool: AgentTool): boolean {
  return plugins.some((plugin) => plugin.judges?.(tool));
}

/** Lets all judge the calls of a step. Of two verdicts about a call the first one counts. */
export async function beforeTools(
  plugins: Plugins,
  step: plug.CallsOfStep,
): Promise<ReadonlyMap<string, plug.Verdict>> {
  let verdicts: ReadonlyMap<string, plug.Verdict> = new Map();
  for (const plugin of plugins)
    if (plugin.beforeTools) verdicts = new Map([...(await plugin.beforeTools(step)), ...verdicts]);
  return verdicts;
}

/** Returns a question as people are shown it, when each has changed what the one before made of it. */
export function showQuestion(plugins: Plugins, value: unknown, asked: plug.AskedBy): unknown {
  return plugins.reduce((value, plugin) => plugin.showQuestion?.(value, asked) ?? value, value);
}

/** Reads a question: the first that knows it. */
export function readQuestion(plugins: Plugins, value: unknown): plug.KnownQuestion | undefined {
  for (const plugin of plugins) {
    const known = plugin.readQuestion?.(value);
    if (known) return known;
  }
  return undefined;
}

/** Returns the results of a step as they are shown, when each has changed what the one before made of them. */
export function showResults(plugins: Plugins, step: Omit<plug.ShownResults, "update">): plug.ShownResults {
  const first: plug.ShownResults = { ...step, update: {} };
  return plugins.reduce((shown, plugin) => plugin.showResults?.(shown) ?? shown, first);
}

/** Returns the results of a step with what all add. The last plug-in is asked first. */
export function afterTools(plugins: Plugins, step: plug.ResultsOfStep): readonly ActionResult[] {
  const { results: first, ...others } = step;
  return plugins.reduceRight((results, plugin) => plugin.afterTools?.({ ...others, results }) ?? results, first);
}

/** Returns the end of a turn with what all add. The last plug-in is asked first. */
export function endTurn(plugins: Plugins, end: plug.TurnEnd): plug.TurnEnd {
  return plugins.reduceRight((end, plugin) => plugin.endTurn?.(end) ?? end, end);
}
