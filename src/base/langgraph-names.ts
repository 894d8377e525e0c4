/**
 * LangGraph's own names: they stand in its checkpoints and in the configs that it gives to nodes, and it exports none of
 * them. Read in @langchain/langgraph 1.4.17 and 1.7.3. A test with a real graph fails when a release changes one.
 */

/** The channel that holds a run's input until a node has seen it, and the node that such an update counts as. */
export const INPUT_CHANNEL = "__start__";

/** What stands before a node's name in the channel that makes the node run. */
export const BRANCH_PREFIX = "branch:to:";

/** What the names of all other channels of LangGraph begin with. */
export const OWN_CHANNEL_PREFIX = "__";

/** Where a node's config holds the way to read the state. A graph that finds it in its config runs inside a node. */
export const READ_KEY = "__pregel_read";

/** Where a node's config holds the checkpointer that its run uses. */
export const CHECKPOINTER_KEY = "__pregel_checkpointer";
