// Server client: LangGraph's SDK talks to an agent that a server runs. SERVER names the server.
import { Client } from "@langchain/langgraph-sdk";

const { SERVER = "http://127.0.0.1:2024" } = process.env;
const client = new Client({ apiUrl: SERVER, callerOptions: { maxRetries: 0 } });

const reached = await client.assistants.search({ graphId: "react" }).catch((error: unknown) => error);
if (reached instanceof Error) {
  console.error(
    `No LangGraph server answers at ${SERVER}. Start one with npm run dev, or name another with SERVER. (${reached.message})`,
  );
  process.exit(1);
}

const { thread_id } = await client.threads.create();
for (const question of ["What is the world record for solving a Rubik's cube?", "Can a robot solve it faster?"]) {
  const input = { messages: [{ type: "human", content: question }] };
  for await (const { event, data } of client.runs.stream(thread_id, "react", { input, streamMode: "updates" })) {
    if (event === "updates") console.log(`${Object.keys(data).join(", ")} has run.`);
  }
  const { values } = await client.threads.getState<{ answer: string }>(thread_id);
  console.log(values.answer);
}
await client.threads.delete(thread_id);
