// Opens the thread of a side in a new process, and prints the time of `getState` in milliseconds.
import { sides } from "./sides.mjs";

const [index, path] = process.argv.slice(2);
const { graph, close } = await sides[Number(index)].open(path);
const start = performance.now();
const { values } = await graph.getState({ configurable: { thread_id: "t" } });
const time = performance.now() - start;
await close();
console.log(JSON.stringify({ time, messages: values.messages.length }));
