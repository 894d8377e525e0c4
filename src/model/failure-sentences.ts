import type { ModelErrorKind } from "../base/errors.js";
import { shorten } from "../base/shorten.js";
import type { Failure } from "./failure.js";
import { shownWords, webPage } from "./server-words.js";

/** Where the server of a model is, and where its key is kept. */
export interface Place {
  /** The words for the server, such as `The model's server at http://…`. */
  readonly server: string;
  /** The name of the variable with the key, or words for it. */
  readonly variable: string;
}

/** Returns what happened, and what to do. */
export function failureSentences(
  kind: ModelErrorKind,
  failure: Failure,
  { server, variable }: Place,
): [problem: string, advice?: string] {
  const { status, codes } = failure;
  const numbered = status === undefined ? "" : ` (${status})`;
  const words = sentence(failure.words);
  const why = words === "" ? "." : `: ${words}`;
  const inSentence = server.replace(/^The/, "the");
  switch (kind) {
    case "authentication":
      return [`${server} refused the API key${numbered}.`, `Check the key in ${variable}.`];
    case "permission":
      return [
        `${server} does not allow this key to use the model${numbered}${why}`,
        "Use another key or another model.",
      ];
    case "not-found":
      return [
        `${server} has no such model${numbered}${why}`,
        "Check the model's name, and the base URL if you gave one: most end in /v1.",
      ];
    case "too-long":
      return [
        `The conversation is longer than the model can read${numbered}${why}`,
        "Keep less of it with the memory option, or use a model with a larger context window.",
      ];
    case "refused":
      return [`${isOfPackage(failure) ? "The package of the model" : server} refused the request${numbered}${why}`];
    case "rate-limit":
      return [`${server} gets too many requests${numbered}${why}`, "Wait a little and ask again."];
    case "quota":
      return [
        `The account's quota at ${inSentence} is used up${numbered}${why}`,
        "Check its plan and billing, or use another key.",
      ];
    case "server":
      return [`${server} failed${numbered}${why}`, "Ask again later."];
    case "unreachable":
      return [`${server} cannot be reached: ${reachProblem(codes)}`];
    case "timeout":
      return [`${server} did not answer in time.`, "Ask again, or allow it more time."];
    case "interrupted":
      return [`The connection to ${inSentence} broke off before the end of the reply.`, "Ask again."];
    case "empty":
      return codes.includes(webPage)
        ? [`${server} answered with a web page.`, "Check the base URL: most end in /v1."]
        : [`${server} sent a reply with nothing in it.`, checkServer];
    case "garbled":
      return [`${server} sent a reply that cannot be read: ${words}`, checkServer];
  }
}

const checkServer = "Ask again. If the error stays, check that the server speaks the API of its provider.";

/** Tells whether a package refused a request before it asked the server. Gemini's tells with its own error what the server refused. */
function isOfPackage({ status, body, name }: Failure): boolean {
  return status === undefined && body === undefined && name !== "EmptyContentError";
}

/** Returns words as a sentence. A server in between, such as a proxy, may answer with a web page. */
function sentence(told: string): string {
  const words = shorten(told, shownWords);
  if (words === "") return "";
  if (/^<(?:!doctype|html|head|body)\b/i.test(words)) return "it answered with a web page.";
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

function reachProblem(codes: readonly string[]): string {
  if (codes.includes("ECONNREFUSED")) return "nothing listens there. Start the server, or give another base URL.";
  return codes.includes("ENOTFOUND")
    ? "there is no such host. Check the network connection and the base URL."
    : "the network connection failed. Check it, and the base URL.";
}
