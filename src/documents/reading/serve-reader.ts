import { parentPort } from "node:worker_threads";
import type { Message } from "./reading-thread.js";

/** Reads inputs. It gives one text after the other. Each is better than the one before. */
interface Reader<Input, Text> {
  read(input: Input): Iterable<Text> | AsyncIterable<Text>;
}

/** Reads in this worker thread what it is sent. */
export function serveReader<Input, Text>(reader: Reader<Input, Text>): void {
  const say = (message: Message<Text>) => parentPort?.postMessage(message);
  parentPort?.on("message", async (input: Input) => {
    try {
      for await (const text of reader.read(input)) say({ text });
      say({ end: "done" });
    } catch {
      say({ end: "failed" });
    }
  });
}
