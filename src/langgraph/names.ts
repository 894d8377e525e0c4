/**
 * The names that LangGraph uses in checkpoints and in the configs of nodes, without exporting them. They were read in
 * @langchain/langgraph 1.4.17 and 1.7.3. A test with a real graph fails if a release changes one.
 */

/**
 * The channel that holds a run's input until a node has seen the input. Also the name of the pseudo-node that writes the
 * input.
 */
export const INPUT_CHANNEL = "__start__";

/** The text before a node's name, in the name of the channel that makes the node run. */
export const BRANCH_PREFIX = "branch:to:";

/** Returns the name of the channel that makes a node run. */
export function triggerOf(node: string): string {
  return BRANCH_PREFIX + node;
}

/**
 * The key for the function that reads the state, in a node's config. A graph that finds it in its own config runs
 * inside a node.
 */
export const READ_KEY = "__pregel_read";

/** The key for the checkpointer of the run, in a node's config. */
export const CHECKPOINTER_KEY = "__pregel_checkpointer";

/** The key for what tells a graph in a node that the run goes on with an earlier one. */
export const RESUMING_KEY = "__pregel_resuming";

/** The key for the notes that LangGraph keeps for a task while it runs, in a node's config. `interrupt` reads them. */
export const SCRATCHPAD_KEY = "__pregel_scratchpad";

/** The key for the function that adds writes to a task, in a node's config. */
export const SEND_KEY = "__pregel_send";

/** The name of the callback handler that LangGraph adds for the stream mode `messages`. */
export const MESSAGES_HANDLER = "StreamMessagesHandler";

/** The name of the callback handler that LangChain adds for version 2 of `streamEvents`. */
export const EVENTS_HANDLER = "event_stream_tracer";

/** The key in the metadata of a run that only a LangGraph server gives. */
export const SERVER_KEY = "langgraph_host";

/** The key for the answers of `Command({ resume })` by the id of their interrupt, in a node's config. */
export const RESUME_MAP_KEY = "__pregel_resume_map";

/** The key for the signals of a run, in a node's config. Graphs in the node listen to that of the whole run. */
export const ABORT_SIGNALS_KEY = "__pregel_abort_signals";
