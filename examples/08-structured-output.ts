// Structured output: the answer is data of a zod schema. A reply that does not fit is sent back to the model.
import { createAgent } from "glassloop";
import { scriptedModel } from "glassloop/testing";
import { z } from "zod";

const weather = z.object({ city: z.string(), degrees: z.number(), sky: z.enum(["clear", "cloudy"]) });
const model = scriptedModel([
  'Here you are: { "city": "Leeds", "degrees": "mild", "sky": "cloudy" }',
  '{ "city": "Leeds", "degrees": 13.5, "sky": "cloudy" }',
]); // in place of a real one
const agent = createAgent({ model, output: weather });

const { output, intermediateSteps } = await agent.invoke({ messages: "How is the weather in Leeds?" });
for (const { decision } of intermediateSteps) {
  if (decision.kind === "unparseable") console.log(`Sent back: ${decision.why}`);
}
console.log(output); // its type is that of the schema
console.log(`${output?.city}: ${((output?.degrees ?? 0) * 9) / 5 + 32} °F`);
