// What a program does with Glassloop and LangGraph, whichever way it loaded them.
module.exports = async function scenario({ glassloop, langgraph, tools, messages, zod }) {
  const { createAgent, openThreads } = glassloop;
  const thread = { configurable: { thread_id: "t" } };
  const add = tools.tool(({ a, b }) => String(a + b), {
    name: "add",
    description: "Adds two numbers.",
    schema: zod.object({ a: zod.number(), b: zod.number() }),
  });
  const { scriptedModel } = glassloop;
  const call = (input) => `\`\`\`json\n${JSON.stringify({ action: "add", action_input: input })}\n\`\`\``;
  const finish = `\`\`\`json\n${JSON.stringify({ action: "Final Answer", action_input: "3" })}\n\`\`\``;
  const agentWith = (replies, checkpointer) =>
    createAgent({
      model: scriptedModel(replies),
      tools: [add],
      protocol: "structured-chat",
      rephrase: false,
      checkpointer,
    });

  // A tool's input of the wrong form is explained, and put right.
  const corrected = await agentWith(
    [call({ a: "one", b: 2 }), call({ a: 1, b: 2 }), finish],
    new langgraph.MemorySaver(),
  ).invoke({ messages: [new messages.SystemMessage("Be kind."), new messages.HumanMessage("1 + 2?")] }, thread);

  // A turn that failed half-way is repaired when something else is asked.
  const saver = new langgraph.MemorySaver();
  const failing = agentWith([call({ a: 1, b: 2 }), new Error("no connection"), finish], saver);
  const failure = await failing.invoke({ messages: "1 + 2?" }, thread).catch((error) => error.message);
  const repaired = await failing.invoke({ messages: "And now?" }, thread);

  // Our threads, an empty thread, and an outer graph.
  const threads = await openThreads("memory:");
  const kept = agentWith([call({ a: 1, b: 2 }), finish], threads.checkpointer);
  const nothing = await kept.invoke(null, thread).catch((error) => `${error.name}: ${error.message}`);
  const outer = new langgraph.StateGraph(langgraph.MessagesAnnotation)
    .addNode("ask", kept)
    .addEdge(langgraph.START, "ask")
    .compile({ checkpointer: new langgraph.MemorySaver() });
  const { messages: spoken } = await outer.invoke({ messages: "1 + 2?" }, { configurable: { thread_id: "outer" } });
  await threads.close();

  const observations = ({ intermediateSteps }) =>
    intermediateSteps.flatMap(({ results }) => results.map(({ observation, status }) => `${status}: ${observation}`));
  return {
    corrected: [corrected.answer, ...observations(corrected)],
    failure,
    repaired: repaired.messages.map((message) => `${message.getType()}: ${message.text}`),
    nothing,
    spoken: spoken.map((message) => `${message.getType()}: ${message.text}`),
  };
};
