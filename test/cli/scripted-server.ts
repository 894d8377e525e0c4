import type { ChildProcess } from "node:child_process";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";

/** A model for processes of the command line: a server with a script, and the options that lead to it. */
export type ScriptedServer = Awaited<ReturnType<typeof scriptedServer>>;

export async function scriptedServer(script: Parameters<typeof startOpenAIServer>[0]) {
  const server = await startOpenAIServer(script);
  return {
    server,
    options: ["--model", "scripted", "--base-url", server.url, "--protocol", "react", "--tools", "calculator"],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Acts on a process once it has asked the model so often. */
export function whenAsked({ server }: ScriptedServer, act: (child: ChildProcess) => void, requests = 1) {
  return (child: ChildProcess): void => {
    const timer = setInterval(() => {
      if (server.requests.length < requests) return;
      clearInterval(timer);
      act(child);
    }, 10);
    child.once("exit", () => clearInterval(timer));
  };
}

export const squareRoot = "What is the square root of 25?";

/** The replies that answer it: a step with the calculator, then the answer. */
export const squareRootReplies: readonly ServerReply[] = [
  " I need to use a calculator for this\nAction: calculator\nAction Input: 25^(1/2)",
  " I now know the final answer\nFinal Answer: The square root of 25 is 5.",
];
