import { calculator, createAgent, documentSearch, openThreads } from "glassloop";

export async function POST(request) {
  const { question, wanted } = await request.json();
  const threads = await openThreads("sqlite:threads.db");
  const search = documentSearch({ folder: "documents", index: "index.db" });
  const agent = createAgent({ model: "offline", tools: [calculator(), search], checkpointer: threads.checkpointer });
  const { answer } = await agent.invoke({ messages: question }, { configurable: { thread_id: "bundled" } });
  const found = await search.invoke({ query: wanted });
  const kept = await threads.list();
  await Promise.all([search.close(), threads.close()]);
  return Response.json({ answer, threads: kept.map(({ id }) => id), found });
}
