import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { GraphInterrupt, LangGraphRunnableConfig } from "@langchain/langgraph";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { EventDetails, EventOf } from "../run/events.js";
import type { RunStart, WrapWork } from "../run/work.js";
import type { ChatHistory } from "../state/chat-history.js";
import type {
  ActionResult,
  AgentAction,
  Outcome,
  ParsedAction,
  ParsedReply,
  Reply,
  StopReason,
} from "../state/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import type { UsageCounts } from "../state/usage.js";
import type { Middleware } from "./middleware.js";
import type { ModelAbilities } from "./models.js";
import type { FencedProtocol } from "./protocol.js";
import type { Reached } from "./reached.js";
import type { AgentTool, Tools } from "./tools.js";

/** Where a plug-in is called: the state as the node at work finds it, and the config of that node. */
interface Place {
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
}

/** A request for the reply of a step, before its prompt is written. */
export interface ProposedRequest {
  readonly protocol: FencedProtocol;
  /** What the model takes. */
  readonly abilities: ModelAbilities;
}

/** What a plug-in adds to a request. */
export interface Addition {
  /** Stands below the user's instructions. */
  readonly instructions: string;
  /** The JSON schema that the model gets beside its messages, so that its tokens are counted. May be "". */
  readonly definition: string;
  /** Tools that never run: their calls are read in the reply. At the last reply of a turn they alone are given. */
  readonly tools: readonly StructuredToolInterface[];
  /** The options of the model call. Left out if there are none. A server may refuse a response format. */
  readonly options?: BaseChatModelCallOptions & { readonly response_format?: Record<string, unknown> };
}

/** A reply that a model begins to write. Each try has an id of its own. */
export interface BegunReply extends Place {
  readonly id: string;
  readonly protocol: FencedProtocol;
  readonly tools: readonly ToolSpec[];
}

/** A call while a model writes it: its arguments are JSON that may break off. */
export interface WrittenCall {
  readonly name: string;
  readonly args: string;
}

/** Listens to a reply while it comes. */
export interface ReplyListener {
  /** What the model wrote beside the words of the reply, as far as it was heard. */
  readonly beside?: string;
  /** Takes a chunk of the reply, with the reply so far. */
  push?(chunk: AIMessageChunk, soFar: AIMessageChunk): void;
  /** Takes the whole text so far, and the first call. Not called if another plug-in may change the reply. */
  words?(text: string, call?: WrittenCall): void;
  /** Takes the reply that has come to its end, before its last words go out. */
  whole?(message: AIMessageChunk): void;
  /** Takes note that no more comes. Returns what is kept beside the reply. */
  end?(): Pick<Reply, "byProvider"> | undefined;
}

/** A reply that was read. */
export interface GivenReply extends Place {
  readonly reply: Reply;
  readonly tools: Tools;
  readonly protocol: FencedProtocol;
  /** Tells whether a person can be asked about the calls of a tool. */
  canAsk(tool: string): boolean;
  /** How often the model wrote the same unreadable reply right before. */
  readonly timesBefore: number;
}

/** What was read in a reply, or what keeps it from being followed. `isAnswer` is true for an answer that may not be given. */
export type Said =
  | (Exclude<ParsedReply, ReadCalls> & { readonly isAnswer?: boolean })
  | (Omit<Extract<ParsedReply, ReadCalls>, "actions"> & ReadCalls)
  | (Reached & { readonly kind: "limit" });

/** Calls that were read. `copied` and `unsure` mark those about which a person is to decide. */
interface ReadCalls {
  readonly kind: "action";
  readonly actions: readonly (ParsedAction & Pick<AgentAction, "copied" | "unsure">)[];
}

/** The results of a step, when all of its tools have run. */
export interface ResultsOfStep extends Place {
  readonly results: readonly ActionResult[];
  readonly tools: Tools;
}

/** What a plug-in writes to the state before the end of a turn. */
export type Written = Partial<Pick<AgentStateValues, "sources" | "citations">>;

/** How a turn begins: the state that it finds, and the turns that its prompts show. */
export interface TurnStart {
  readonly state: AgentStateValues;
  readonly chatHistory: ChatHistory;
}

/** What the tools of a step gave, in the order of its calls. `update` is written to the state with it. */
export interface ShownResults {
  readonly state: AgentStateValues;
  readonly results: readonly ActionResult[];
  readonly update: Written;
}

/** How a turn ends. */
export interface TurnEnd extends Place {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The limit that the turn reached, or the reason why nothing confirms the answer. */
  readonly why?: string | undefined;
  /** What is written to the state beside the answer. */
  readonly update: Partial<AgentStateUpdate>;
  /** The events that are told before the answer. */
  readonly before: readonly EventDetails[];
  /** What is told with the answer. */
  readonly told: Pick<EventOf<"answer">, "output" | "sources">;
}

/** The turn in which something is about to be called. */
export interface TurnNow {
  readonly state: Pick<AgentStateValues, "turn" | "intermediateSteps" | "usage">;
  readonly config: RunnableConfig;
  /** True for the last call of a turn. Before any other call there must be room for the last one, too. */
  readonly isLast?: boolean;
}

/** A call of a model that is about to be made. */
export interface NextCall extends TurnNow {
  readonly model: string;
  /** Estimates the tokens of the prompt. */
  readonly inputTokens: () => number;
  /** The state, if the call is for the reply of a step. */
  readonly step?: AgentStateValues;
  /** What the node at work has spent. Default: the usage to which the config belongs. */
  readonly spent?: UsageCounts;
}

/** A call that may not take longer than a time: of a tool, or of a model. */
export interface TimedCall extends TurnNow {
  readonly tool?: AgentTool;
}

/** A call of a tool that nothing stands against any more, and that is about to be made. */
export interface ToolRequest extends Place {
  readonly toolCall: {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly type: "tool_call";
  };
  readonly tool: AgentTool;
  /** What was decided, with the input that a person chose, if one did. */
  readonly action: AgentAction;
}

/** Calls a tool, and returns what it returns. */
export type CallTool = (request: ToolRequest) => Promise<unknown>;

/** The calls of a step that are about to be made. */
export interface CallsOfStep extends Place {
  readonly actions: readonly AgentAction[];
  /** Tells whether a call has an outcome on record, so that it is not made again. */
  isOnRecord(action: AgentAction): boolean;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly question: QuestionOfStep;
}

/** The question with which a step stops before its calls. It survives the end of the process. */
export interface QuestionOfStep {
  /** What was kept with the question. */
  readonly kept: readonly unknown[];
  /** What was kept when an earlier run had taken the answer. It counts for calls that are on record since then. */
  readonly taken: readonly unknown[];
  /** The answer of a person, and the names of what was shown; undefined if there is none. */
  readonly answer: { readonly value: unknown; readonly shown: readonly string[] } | undefined;
  /** Keeps data with the question, in place of what was kept. */
  keep(data: readonly unknown[]): void;
  /** Notes that the answer was taken: a run that goes on here finds what was kept, and who decided. Without an answer it does nothing. */
  settle(): Promise<void>;
  /** Returns the interrupt that asks. The caller throws it. `shown` names what the person is shown. */
  ask(value: unknown, shown: readonly string[]): Promise<GraphInterrupt>;
}

/** What was judged about a call. */
export interface Verdict {
  /** The input that the tool runs with. Default: that of the call. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The outcome in the place of the call, which is not made. */
  readonly instead?: Outcome | undefined;
  /** What the model is told beside the result. */
  readonly note?: string | undefined;
  /** What stands in the result. */
  readonly said?: Pick<ActionResult, "decision" | "decided">;
}

/** Who asked a question: the name of the plug-in, and the messages as it left them. */
export interface AskedBy {
  readonly by: string;
  readonly messages: readonly BaseMessage[];
}

/** A question with which a thread waits, as a plug-in knows it that asked. */
export interface KnownQuestion {
  /** The name of the plug-in that reads the answer, if the agent cannot go on without it. */
  readonly by?: string | undefined;
  /** The ids of the actions that it is about. */
  readonly ids: readonly string[];
  /** Tells whether an answer is meant for it. */
  takes(answer: unknown): boolean;
  /** Returns the answer as the one who asked reads it, or says why it cannot be one. */
  read(answer: unknown): { readonly value: unknown } | { readonly why: string };
}

/**
 * Something that plugs into the loop of an agent: a middleware, or one of our own with seams that theirs have not. The seams stand in
 * the order of a turn. They keep nothing between their calls: a node runs again after a crash, in another process.
 * `tools` count only in the option `middleware`.
 */
export interface Plugin extends Middleware {
  /** Around the stream of a run, which begins when it is read. */
  wrapRun?<Value>(
    run: RunStart,
    next: (run: RunStart) => Promise<AsyncGenerator<Value>>,
  ): Promise<AsyncGenerator<Value>>;
  /** Around a piece of work: a node, a call of a model with all its tries, a call of a tool. It is read when a run begins. */
  readonly wrapWork?: WrapWork | undefined;
  /** Returns what is written to the state when a turn begins. It is pure. */
  beginTurn?(start: TurnStart): Written;
  /** The most steps that it lets a turn take. */
  readonly mostSteps?: number;
  /** Returns what keeps a turn from a call of a model. The model is then asked for the last reply of the turn, if it may be. */
  beforeAsk?(call: NextCall): Promise<Reached | undefined>;
  /** Returns the milliseconds that a call may take. */
  timeFor?(call: TimedCall): number;
  /** Adds to a request for the reply of a step. Called for each model that is asked, and again after a refusal. */
  request?(request: ProposedRequest): Addition;
  /** Listens while a model writes the reply of a step. Called for each try. */
  listen?(reply: BegunReply): ReplyListener;
  /**
   * Returns what to take for what was read in a reply. It is pure, but for the clock. The last plug-in is asked first. The last reply
   * of a turn and a paused one are read, too.
   */
  read?(said: Said, given: GivenReply): Said;
  /** Tells whether the plug-in may judge calls of a tool. What is judged is not changed by others. */
  judges?(tool: AgentTool): boolean;
  /**
   * Judges the calls of a step before any tool starts. It may ask a person.
   *
   * @returns The verdicts, by the ids of the actions. A call that it does not judge has none.
   * @throws GraphInterrupt while an answer is missing.
   */
  beforeTools?(step: CallsOfStep): Promise<ReadonlyMap<string, Verdict>>;
  /** Returns the question of a hook as people are shown it. */
  showQuestion?(value: unknown, asked: AskedBy): unknown;
  /** Reads the value of an interrupt; undefined if the plug-in does not know such a question. */
  readQuestion?(value: unknown): KnownQuestion | undefined;
  /**
   * Returns the results of a step as the model and the events show them. It is pure, and called for the first results of a step, too.
   * A result that it does not change where it stands alone is not changed where it stands behind others either.
   */
  showResults?(step: ShownResults): ShownResults;
  /** Adds to the results of a step. The last plug-in is asked first. */
  afterTools?(step: ResultsOfStep): readonly ActionResult[];
  /** Adds to the end of a turn, before the rest of the answer is sent. The last plug-in is asked first. */
  endTurn?(end: TurnEnd): TurnEnd;
  /** True if the plug-in may change a reply. Its answer is then sent as a whole. */
  readonly changesReplies?: boolean;
}
