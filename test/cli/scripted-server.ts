import type { ChildProcess } from "node:child_process";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { runProgram } from "./fake-io.js";
import { workingFolder } from "./run-cli.js";

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

/** A model with a script, and a database in a folder of its own. */
export async function modelAndDatabase(script: Parameters<typeof startOpenAIServer>[0], file = "threads.db") {
  const folder = await workingFolder();
  const model = await scriptedServer(script);
  const db = ["--db", `sqlite:${folder.path}/${file}`];
  return {
    folder,
    model,
    db,
    /** The option with the server of the model. */
    server: ["--base-url", model.server.url],
    /** Runs `glassloop` in this process, with the database. */
    run: (args: readonly string[], io?: Parameters<typeof runProgram>[1]) => runProgram([...args, ...db], io),
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
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

/** A step with two calls of the calculator. */
export const twoCalls: ServerReply = {
  toolCalls: [
    { name: "calculator", args: { expression: "1+1" } },
    { name: "calculator", args: { expression: "2+2" } },
  ],
};
