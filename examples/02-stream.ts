// Stream: a turn is told as typed events, and the answer arrives while the model writes it.
import { createAgent, documentSearch, streamTurn } from "glassloop";

const search = documentSearch({ folder: "knowledge" });
const agent = createAgent({ model: "offline", tools: [search] });

for await (const event of streamTurn(agent, { messages: "What is the record for solving a Rubik's cube?" })) {
  switch (event.type) {
    case "action":
      console.log(`→ ${event.tool}: ${JSON.stringify(event.toolInput)}`);
      break;
    case "observation":
      console.log(`← ${event.text.split("\n")[0]}`);
      break;
    case "answer-delta":
      process.stdout.write(event.text);
      break;
    case "answer-reset": // What came was no answer, such as words before a call.
      console.log();
      break;
    case "turn-end":
      console.log(`\n(${event.stopReason}, ${event.usage.turn.outputTokens} tokens)`);
  }
}
search.close();
