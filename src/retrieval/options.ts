import { z } from "zod";
import { type ModelCalls, modelCallsSchema } from "../agent/model-calls.js";
import { type AgentOptions, agentOptionsSchema, optionsElsewhere } from "../agent/options.js";
import { defaultTurnMs, type TurnLimits, turnLimitsSchema } from "../agent/turn-limits.js";
import { describeValue, isClass, slipOf } from "../base/describe-value.js";
import { InvalidOptionError } from "../base/errors.js";
import { checkedOption, checkedOptions, countOption, give, hasMethods, oneOf } from "../base/options.js";
import {
  type Combine,
  combinations,
  type FixedRetrieval,
  type RetrievalPrompts,
  type Route,
  type Translate,
  type Translation,
  translations,
} from "./dependencies.js";
import { nowhere } from "./prompts/route.js";
import type { Reranker } from "./searching/reranker.js";
import { isTool, type NamedRetriever, type Retriever } from "./searching/retriever.js";

/** The options of an agent that a retrieval agent has, too. */
const agentOptions = [
  "model",
  "instructions",
  "context",
  "middleware",
  "currentDate",
  "fence",
  "rephrase",
  "memory",
  "checkpointer",
  "durability",
  "multitaskStrategy",
  "whileWaiting",
  "store",
  "name",
] as const;

/** The limits of an agent that are about its tools. */
const limitsOfTools = {
  maxSteps: true,
  maxToolCalls: true,
  maxParallelCalls: true,
  toolTimeoutMs: true,
  maxObservationCharacters: true,
} as const;

/** The limits of a retrieval agent: those of a turn, and those of its searches. */
export interface RetrievalLimits<Context = Record<string, unknown>>
  extends Omit<TurnLimits<Context>, keyof typeof limitsOfTools> {
  /** The most passages of one search, 1 to 50. Default: 6. */
  maxPassages?: number;
  /** The most tokens of passages in one prompt, by an estimate. Default: 6000. */
  passageTokens?: number;
  /** The least score of a passage, as its retriever, or `rerank`, gives it. Default: any. */
  minScore?: number;
  /** The longest time of one search, in milliseconds. Default: 300000 (five minutes). */
  searchTimeoutMs?: number;
}

export interface RetrievalOptions<Context extends z.ZodObject = z.ZodObject>
  extends Pick<AgentOptions<never, Context>, (typeof agentOptions)[number]> {
  /**
   * The retriever, or several of them, such as `[documents({ folder }), vectorStore.asRetriever()]`. See {@link Retriever}.
   * All of them are asked at once, and what they find is joined. For a model that chooses among them they have names and
   * descriptions.
   */
  retriever: Retriever | readonly (Retriever | NamedRetriever)[];
  /**
   * Orders what all retrievers found, before the first `maxPassages` of it are taken: a reranker of LangChain. See
   * {@link Reranker}. `minScore` is then compared with its scores, and keeps passages without one. If it fails or is late, the
   * event `rerank` says so, and the order stays.
   */
  rerank?: Reranker;
  /**
   * The way in which an answer is made of the passages. Default: `"stuff"`.
   *
   * - `"stuff"` shows all passages in one prompt, as far as `passageTokens` allows.
   * - `"map-reduce"` makes a note on each passage in parallel, and the answer of these notes.
   * - `"refine"` makes a draft of the first passage, and makes it better with each other one.
   * - `"map-rerank"` answers from each passage in parallel. The model scores its answers, and the best one is taken.
   */
  combine?: Combine;
  /**
   * The way in which queries are made of the question: {@link Translation}, or your function. The words as asked are always
   * searched for, too. Results are joined by reciprocal rank fusion. Default: only the words as asked.
   */
  translate?: Translation | Translate;
  /**
   * Chooses a retriever by its name and description, or none: `true` asks the model. A function returns a name, a list of names
   * or null. Default: false. Then all retrievers are asked, but none for a greeting or thanks.
   */
  route?: boolean | Route;
  /**
   * Drops passages that do not help (corrective RAG). The model looks at them in one call. If none is left, it writes another
   * query, up to `rewrites` times (0 to 2, default 2). Then the `fallback` is asked, such as a web search. Then the answer says
   * what was searched. Default: false.
   */
  grade?: boolean | { readonly rewrites?: number; readonly fallback?: Retriever | NamedRetriever };
  /**
   * Holds the answer against its passages and the question (self-RAG). An answer that does not follow from them is asked for
   * once more. If the second one does not follow either, the stop reason is `ungrounded`, and the event `answer` says why.
   * With `check` an answer is not streamed. Default: false.
   */
  check?: boolean;
  /**
   * Lets the model decide whether a question needs no search, one, or several (adaptive RAG). Of several, each follows from what
   * the ones before found; there are at most 4. Default: false.
   */
  adaptive?: boolean;
  /** Your own words for grading and checking, and your answer when nothing was found. See {@link RetrievalPrompts}. */
  prompts?: RetrievalPrompts;
  /** The limits of a turn and of its searches. See {@link RetrievalLimits}. */
  limits?: RetrievalLimits<z.output<Context>>;
  /** How the models are called: time limits, new tries, the size of a prompt. See {@link ModelCalls}. */
  modelCalls?: Omit<ModelCalls, "constrainedDecoding">;
}

const flag = z.boolean(give("true or false"));
const ownWords = z.string(give("a text")).min(1, give("a text that is not empty"));
const isFunction = (value: unknown) => typeof value === "function";
const giveRetriever = give(
  "a LangChain retriever, such as documents({ folder }) or vectorStore.asRetriever(), or a tool that names its sources",
);
const retrieverSchema = z.custom<Retriever>((value) => hasMethods(value, ["invoke"]), giveRetriever);
const descriptionIs = give("a text that says what can be found there, in { name, description, retriever }");
const namedSchema = z.strictObject(
  {
    retriever: retrieverSchema,
    name: z
      .string(give("a name"))
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]*$/u, "give a name of letters, digits, spaces, _ and -.")
      .refine(
        (name) => name.toLowerCase() !== nowhere,
        `"${nowhere}" means that no retriever is asked; give another name.`,
      ),
    description: z.string(descriptionIs).min(1, descriptionIs),
  },
  giveRetriever,
);
const severalSchema = z
  .array(namedSchema)
  .min(1, give("at least one retriever"))
  .refine(
    (all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length,
    "two retrievers have the same name; give each a name of its own.",
  );
const rerankerIs = {
  error: ({ input }: { readonly input?: unknown }) =>
    `${describeValue(input)} is not possible; give a document compressor of LangChain, such as new CohereRerank() or { compressDocuments }.${isFunction(input) && !isClass(input) ? "" : slipOf(input)}`,
};
const gradeSchema = z.strictObject(
  {
    rewrites: z.literal([0, 1, 2], give("0, 1 or 2")).optional(),
    fallback: z.unknown().optional(),
  },
  give("true, false or { rewrites, fallback }"),
);

const agentShape = agentOptionsSchema.shape;
export const retrievalOptionsSchema = z.strictObject({
  ...Object.fromEntries(agentOptions.map((name) => [name, agentShape[name]])),
  retriever: z.unknown().optional(),
  rerank: z.custom<Reranker>((given) => hasMethods(given, ["compressDocuments"]), rerankerIs).optional(),
  combine: oneOf(combinations).optional(),
  translate: z
    .union([z.enum(translations), z.custom(isFunction)], give(`"${translations.join('", "')}" or a function`))
    .optional(),
  route: z
    .custom((value) => typeof value === "boolean" || isFunction(value), give("true, false or a function"))
    .optional(),
  grade: z.unknown().optional(),
  check: flag.optional(),
  adaptive: flag.optional(),
  prompts: z
    .strictObject({
      grade: ownWords,
      check: ownWords,
      notFound: z.custom(isFunction, give("a function (view) => text")),
    })
    .partial()
    .optional(),
  limits: turnLimitsSchema
    .omit(limitsOfTools)
    .extend({
      maxPassages: countOption.optional(),
      passageTokens: countOption.optional(),
      minScore: z.number(give("a number")).optional(),
      searchTimeoutMs: countOption.optional(),
    })
    .optional(),
  modelCalls: modelCallsSchema.omit({ constrainedDecoding: true }).optional(),
});

const noTools =
  "and a retrieval agent calls none; give createAgent this middleware, and the documents as a tool, such as documentSearch().";

/**
 * Checks the options of a retrieval agent, and separates its own from those of an agent.
 *
 * @throws InvalidOptionError with the first option that is wrong, and the possible values.
 */
export function checkedRetrieval<Context extends z.ZodObject>(options: RetrievalOptions<Context>) {
  checkedOptions("", retrievalOptionsSchema, options, optionsElsewhere);
  const { prompts = {}, ...others } = options;
  const withTools = options.middleware?.find(({ tools = [] }) => tools.length > 0);
  if (withTools) throw new InvalidOptionError("middleware", `${withTools.name} brings tools, ${noTools}`);
  const { retriever, rerank: reranker, combine = "stuff", translate, route, grade, check, ...left } = others;
  const { adaptive, limits = {}, ...agent } = left;
  const { maxPassages = 6, passageTokens = 6_000, minScore, searchTimeoutMs = 300_000, ...turnLimits } = limits;
  const fixed: FixedRetrieval = {
    retrievers: namedRetrievers(retriever, route === true || adaptive === true),
    reranker,
    combine,
    translate,
    route: route ?? false,
    isAdaptive: adaptive ?? false,
    grading: gradingOf(grade ?? false),
    checks: check ?? false,
    prompts,
    maxPassages,
    passageTokens,
    minScore,
    searchTimeoutMs,
    maxTurnMs: turnLimits.maxTurnMs ?? defaultTurnMs,
  };
  return { fixed, agent: { ...agent, limits: turnLimits } };
}

function namedRetrievers(given: RetrievalOptions["retriever"], isChosen: boolean): readonly NamedRetriever[] {
  if (Array.isArray(given)) {
    const all = given.map((one: unknown, n) => named(one, `documents ${n + 1}`, isChosen ? "" : atHand));
    return checkedOption("retriever", severalSchema, all);
  }
  return [{ name: "documents", description: atHand, retriever: checkedOption("retriever", retrieverSchema, given) }];
}

const atHand = "the documents at hand";

/** Gives a retriever a name and a description, if it is alone. A tool has its own. */
function named(retriever: unknown, name: string, description: string): unknown {
  if (!hasMethods(retriever, ["invoke"])) return retriever;
  return isTool(retriever)
    ? { name: retriever.name, description: retriever.description, retriever }
    : { name, description, retriever };
}

function gradingOf(given: NonNullable<RetrievalOptions["grade"]>): FixedRetrieval["grading"] {
  if (given === false) return undefined;
  const { rewrites = 2, fallback } = checkedOption("grade", gradeSchema, given === true ? {} : given);
  if (fallback === undefined) return { rewrites, fallback };
  return { rewrites, fallback: checkedOption("grade.fallback", namedSchema, named(fallback, "fallback", atHand)) };
}
