import { type Spoken, speaksProtocol } from "./thinking.js";

/** A message of gpt-oss's format "harmony": `<|start|>assistant<|channel|>final<|message|>Lima<|end|>`. */
interface Message {
  readonly channel: string;
  /** The tool to which it is sent. */
  readonly recipient?: string;
  readonly body: string;
  /** Tells whether a token ends it. */
  readonly ended: boolean;
}

/**
 * Reads a reply in channels. Its calls count, with the preamble before them as the thought. If there is no call, the
 * final message counts. If there is neither, the model only thought. A reply without channels stays as it is.
 */
export function spokenInChannels(text: string): Spoken & { readonly calls?: boolean } {
  const stripped = strippedFinal(text);
  if (stripped !== undefined) return { text: stripped, stillThinking: false };
  if (!/^\s*<\|(?:start|channel)\|>|<\|message\|>/.test(text)) return { text, stillThinking: false };
  const messages = messagesOf(text);
  const call = messages.findIndex(({ recipient }) => recipient !== undefined);
  if (call >= 0) return { text: withPreamble(messages), stillThinking: false, calls: true };
  const said = messages.find(isSaid) ?? messages.find(({ channel }) => channel === "");
  if (said) return { text: said.body, stillThinking: false };
  const preambles = messages.filter(({ channel }) => channel !== "analysis");
  return { text: bodies(preambles.length > 0 ? preambles : messages), stillThinking: true };
}

function isSaid({ channel, body }: Message): boolean {
  return channel === "final" || (channel !== "analysis" && (speaksProtocol(body) || stepLine.test(body)));
}

/** A line that begins a step of a prompted protocol. */
const stepLine = /^\*{0,3}(?:Action|Final Answer)\*{0,3}:/m;

function withPreamble(messages: readonly Message[]): string {
  const spoken = messages.filter(({ channel, recipient }) => channel !== "analysis" || recipient !== undefined);
  return bodies(
    spoken.map((message) => {
      const { recipient, body, ended } = message;
      return recipient === undefined ? message : { ...message, body: callText(recipient, body, ended) };
    }),
  );
}

function bodies(messages: readonly Message[]): string {
  return messages.map(({ body }) => body).join("\n");
}

const bodyToken = "<|message|>";
const afterBody = /<\|(?:end|call|return|start|channel)\|>/g;
/** The header of a tool's result or of another turn. At the beginning it repeats the prompt; later it is invented. */
const otherSpeaker = /<\|start\|>\s{0,9}(?:user|system|developer|tool|functions\.)|\bto=(?:assistant|user|all)\b/;

function messagesOf(text: string): Message[] {
  const messages = outsideChannels(text);
  let place = 0;
  for (let token = text.indexOf(bodyToken); token >= 0; token = text.indexOf(bodyToken, place)) {
    const header = text.slice(place, token);
    const start = token + bodyToken.length;
    afterBody.lastIndex = start;
    const end = afterBody.exec(text);
    place = end?.index ?? text.length;
    if (!otherSpeaker.test(header)) {
      messages.push({ ...readHeader(header), body: text.slice(start, place).trim(), ended: end !== null });
    } else if (messages.length > 0) break;
  }
  return messages;
}

/** Returns the words before the first token. They may be the rest of a header that the prompt began: these do not count. */
function outsideChannels(text: string): Message[] {
  const body = text.slice(0, text.indexOf("<|")).trim();
  return /^(?:assistant)?\s{0,9}(?:analysis|commentary|final)?\s{0,9}(?:to=\S{1,200}.{0,20})?$/.test(body)
    ? []
    : [{ channel: "", body, ended: true }];
}

const recipientIn = /(?:^[\s\w]{0,40}\bto=functions\.|\|>[\s\w]{0,40}\bto=(?:functions\.)?)([\w.:-]{1,200})/;
const channelIn = /(?:<\|channel\|>|^)\s{0,9}(analysis|commentary|final)\b/;

function readHeader(header: string): Pick<Message, "channel" | "recipient"> {
  const recipient = recipientIn.exec(header)?.[1];
  const channel = channelIn.exec(header)?.[1] ?? "";
  return recipient === undefined ? { channel } : { channel, recipient };
}

/** Returns the answer of a reply from which a server removed the tokens: `analysisOne word.assistantfinalfour`. */
function strippedFinal(text: string): string | undefined {
  const mark = "assistantfinal";
  const place = /^\s*analysis\p{Lu}/u.test(text) ? text.lastIndexOf(mark) : -1;
  return place < 0 ? undefined : text.slice(place + mark.length);
}

/** Writes a call as its form has it. Muse writes the signs of its own form. */
function callText(name: string, body: string, ended: boolean): string {
  if (body.startsWith("<")) return body;
  return `to=functions.${name}${bodyToken}${body}${ended ? "<|call|>" : ""}`;
}
