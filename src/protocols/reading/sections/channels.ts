import { withoutFences } from "../shown-code.js";
import type { Spoken } from "./thinking.js";

/**
 * A message of gpt-oss's format "harmony": `<|start|>assistant<|channel|>final<|message|>Lima<|end|>`. The body of a call has
 * the name of its tool in it.
 */
interface Message {
  readonly channel: string;
  readonly isCall?: boolean;
  readonly body: string;
}

/**
 * Reads a reply in channels. Its calls count, with the preamble before them as the thought. If there is no call, the
 * final message counts. If there is neither, the model only thought. A reply without channels stays as it is.
 */
export function spokenInChannels(text: string): Spoken & { readonly calls?: boolean } {
  const [, stripped] = withoutTokens.exec(text) ?? [];
  if (stripped !== undefined) return { text: stripped, stillThinking: false };
  if (!/^\s*<\|(?:start|channel)\|>|<\|message\|>/.test(withoutFences(text))) return { text, stillThinking: false };
  const messages = messagesOf(text);
  const spoken = messages.filter(({ channel, isCall }) => channel !== "analysis" || isCall);
  if (messages.some(({ isCall }) => isCall)) return { text: bodies(spoken), stillThinking: false, calls: true };
  const said = messages.find(isSaid) ?? messages.find(({ channel }) => channel === "");
  if (said) return { text: said.body, stillThinking: false };
  return { text: bodies(spoken.length > 0 ? spoken : messages), stillThinking: true };
}

function isSaid({ channel, body }: Message): boolean {
  return channel === "final" || (channel !== "analysis" && stepLine.test(body));
}

/** A line that begins a step of a prompted protocol. */
const stepLine = /^\*{0,3}(?:Action|Final Answer)\*{0,3}:/m;

function bodies(messages: readonly Message[]): string {
  return messages.map(({ body }) => body).join("\n");
}

/** A reply from which a server removed the tokens: `analysisOne word.assistantfinalfour`. */
const withoutTokens = /^\s*analysis\p{Lu}[\s\S]*assistantfinal([\s\S]*)$/u;
const bodyToken = "<|message|>";
const afterBody = /<\|(?:end|call|return|start|channel|eot|eom)\|>/g;
/** The header of a tool's result or of another turn. At the beginning it repeats the prompt; later it is invented. */
const otherSpeaker = /<\|start\|>\s{0,9}(?:user|system|developer|tool|functions\.)|\bto=(?:assistant|all)\b/;

function messagesOf(text: string): Message[] {
  const messages = outsideChannels(text);
  let place = 0;
  for (let token = text.indexOf(bodyToken); token >= 0; token = text.indexOf(bodyToken, place)) {
    const header = text.slice(place, token);
    const start = token + bodyToken.length;
    afterBody.lastIndex = start;
    const end = afterBody.exec(text);
    place = end?.index ?? text.length;
    if (!otherSpeaker.test(header)) messages.push(toMessage(header, text.slice(start, place).trim(), end?.[0] ?? ""));
    else if (messages.length > 0) break;
  }
  return messages;
}

/** Returns the words before the first token. They may be the rest of a header that the prompt began: these do not count. */
function outsideChannels(text: string): Message[] {
  const words = text.slice(0, text.indexOf("<|"));
  const body = (recipientIn.test(words) ? words.slice(0, words.indexOf("to=")) : words).trim();
  return /^(?:assistant)?\s{0,9}(?:analysis|commentary|final)?\s{0,9}(?:to=\S{1,200}.{0,20})?$/.test(body)
    ? []
    : [{ channel: "", body }];
}

/** The name of a tool in a header, and what stands after it: a call that is a copy of a text is one with its header. */
const recipientIn =
  /(?:^[\s\w]{0,40}\bto=functions\.|\|>[\s\w]{0,40}\bto=(?:functions\.)?)(?!(?:user|self)\b)([\w.:-]{1,200}(?![\w.:-])[^{]{0,100})$/;
const channelIn = /(?:<\|channel\|>|^)\s{0,9}(analysis|commentary|final)\b/;

/** The messages of Muse Glimmer name their reader instead of a channel. */
const readerIn = /\bto=(user|self)\b/;

function toMessage(header: string, body: string, end: string): Message {
  const recipient = recipientIn.exec(header)?.[1];
  const reader = readerIn.exec(header)?.[1];
  const channel = reader ? (reader === "user" ? "final" : "analysis") : (channelIn.exec(header)?.[1] ?? "");
  if (recipient === undefined) return { channel, body };
  const call = body.startsWith("<")
    ? body
    : `to=functions.${recipient.replaceAll(/\s+/g, " ")}${bodyToken}${body}${end}`;
  return { channel, isCall: true, body: call };
}
