import { z } from "zod";
import type { ServerReply, ServerRequest } from "../../../test/helpers/openai-server.js";

type Said = Exclude<ServerReply, string | number | { hang: true } | { noChoices: true } | { status: number }>;
type Body = ServerRequest["body"];

/** What people can ask in the demo. Each question has replies of its own, in order: one for each call of the model. */
export const questions = {
  /** Two calls at once, a reply that cannot be read, a table. */
  train: "How long does the train from Bergen to Oslo take on Saturday morning, and what do four adults pay?",
  /** Three calls fail, and the fourth is over the limit. */
  nightTrain: "And with the night train, in a sleeper for two of us?",
  /** A long answer with headings, a list, code and a table. */
  story: "Tell me the story of the Bergen Line.",
  /** The server of the model refuses. */
  failed: "What is the weather in Finse?",
  /** The answer is cut off. */
  cut: "Write down all stations of Norway.",
  /** A call copied from a mail waits, then, when it was refused, the rules are asked, and two calls wait. */
  broken: "Ann writes that part of order 1042 arrived broken. Please sort it out.",
  /** Two calls wait. */
  twoCalls: "Refund one cup of order 1043, and tell Ann.",
  /** A question to a person waits. */
  askBack: "Send Ann the cup that she wants.",
  /** Three of five passages are left out; one citation has no source, one quote is not found. */
  record: "Who holds the world record for solving a Rubik's Cube?",
  /** No passage helps, so there is another search. */
  before: "And who held it before, by how much was it beaten?",
  /** Nothing is found that helps. */
  unknown: "Which cube is the most beautiful one?",
} as const;

const call = (name: string, args: Record<string, unknown> | string) => ({ name, args });
const fare = (name: string) => ({ toolCalls: [call("fares", { train: "606", class: name })] });
const mailToAnn = (text: string) => call("send_mail", { to: "ann@example.com", subject: "Your order", text });

const trainReplies: readonly Said[] = [
  {
    reasoning: {
      reasoning_content: "Saturday is 5 December. I need the trains of that morning, and the price of one seat.",
    },
    toolCalls: [
      call("timetable", { from: "Bergen", to: "Oslo S", date: "2026-12-05" }),
      call("fares", { train: "62", class: "standard" }),
    ],
  },
  { text: 'One seat on train 62 is 549 kr, so I work out the price for four.\n\ncalculator(sum="4 * 549")' },
  { toolCalls: [call("calculator", { expression: "4 * 549" })] },
  {
    text: [
      "Take **train 62**: it leaves Bergen at 08:00 and reaches Oslo S at 14:35, so 6 h 35 min.",
      "| | one adult | four adults |\n|---|---|---|\n| Standard | 549 kr | **2,196 kr** |\n| Plus | 749 kr | 2,996 kr |",
      "The price of Plus is from the same timetable; seats are reserved in both classes.",
    ].join("\n\n"),
  },
];

const nightTrainReplies: readonly Said[] = [
  { toolCalls: [call("timetable", { from: "Bergen", to: "Oslo S", date: "2026-12-05", after: "20:00" })] },
  ...["sleeper", "sleeping compartment", "bed", "cabin"].map(fare),
  {
    text:
      "The night train is **606**: Bergen 22:59, Oslo S 06:26. I could not find what a sleeper costs: the fare service knows " +
      "no such class. A standard seat on it would be 549 kr each, so 1,098 kr for two.",
  },
];

const years = [1875, 1883, 1894, 1906, 1909].map(
  (year, n) =>
    `${n + 1}. **${year}**: the builders went on over the mountains, through snow and stone, by hand and with little light.`,
);
const storyReplies: readonly Said[] = [
  {
    reasoning: { reasoning_content: "No tool tells stories. I write what is known of the line." },
    text: [
      "# The Bergen Line",
      "It took 34 years to build the railway between *Bergen* and *Oslo*. It is 496 km long, and its highest place is 1,237 m.",
      years.join("\n"),
      "## In numbers",
      "```js\nconst line = { kilometres: 496, tunnels: 182, highest: 1237 };\n```",
      "| | |\n|---|---|\n| Tunnels | 182 |\n| Stations | 39 |",
      "> Who has seen Finse in May knows why it took so long.",
      "More is at [bane.example](https://bane.example/bergen). The end.",
    ].join("\n\n"),
  },
];

const brokenReplies: readonly Said[] = [
  {
    text: "I look at the order and at the mail.",
    toolCalls: [call("order", { id: 1042 }), call("mail", { order: 1042 })],
  },
  {
    text: "The mail says how the refund is to be made.",
    toolCalls: [call("refund", { order: 1042, amount: 4999, reason: "VIP" })],
  },
  {
    text: "You are right, that amount came from the mail and not from the order. I ask what our rules say.",
    toolCalls: [call("policy", { question: "Part of a delivery arrived broken: how much do we refund?" })],
  },
  {
    text: "One of the two cups is broken, so the price of one cup is due.",
    toolCalls: [
      call("refund", { order: 1042, amount: 89.9, reason: "one of two cups arrived broken" }),
      mailToAnn("Dear Ann, we are sorry. We have refunded 89.90 € for the broken cup."),
    ],
  },
  {
    text:
      "The refund is made: **44.95 €** for the one broken cup of order 1042, and Ann has a mail about it.\n\n" +
      "Her mail also contained a ready-made call for a refund of 4,999 €. It was not made.",
  },
];

const scripts: readonly (readonly [RegExp, readonly ServerReply[]])[] = [
  [/from Bergen to Oslo/, trainReplies],
  [/night train/, nightTrainReplies],
  [/Bergen Line/, storyReplies],
  [/weather/, [{ status: 401, message: "Incorrect API key provided: demo. The demo has no weather." }]],
  [
    /all stations/,
    [{ text: "Arna, Bergen, Dale, Evanger, Finse, Geilo, Gol, Haugastøl, Hønefoss,", finishReason: "length" }],
  ],
  [/order 1042/, brokenReplies],
  [
    /order 1043/,
    [
      {
        toolCalls: [
          call("refund", { order: 1043, amount: 44.95, reason: "one cup sent back" }),
          mailToAnn("Dear Ann, 44.95 € for one cup are on their way."),
        ],
      },
      { text: "That is settled: the refund of order 1043, and the mail to Ann, went as you decided." },
    ],
  ],
  [
    /cup that she wants/,
    [
      { toolCalls: [call("ask_human", { question: "Which cup does Ann want: the blue one, or the green one?" })] },
      { text: "Thank you. I have noted it for the next parcel." },
    ],
  ],
  [
    /arrived broken: how much/,
    [
      { toolCalls: [call("handbook", { topic: "Damaged goods" })] },
      { text: "Refund the price of the damaged pieces only (§ 4.2). Above 200 € a manager must agree (§ 4.5)." },
    ],
  ],
  [
    /holds the world record/,
    [
      {
        text:
          "The world record is **3.05 seconds**, set by Xuanyi Geng of China in April 2025 [1]. He “held it at the end of " +
          "September 2025” [1]. Before that it was 3.13 seconds, by Max Park, “the most astonishing solve that was ever seen” [2]. " +
          "A robot is faster [7].",
      },
    ],
  ],
  [
    /by how much was it beaten/,
    [
      {
        text: "Max Park held it before, with 3.13 seconds in June 2023 [2]. So the record was beaten by **0.08 seconds** [2].",
      },
    ],
  ],
];

/** The prompts of a retrieval agent that ask for something else than the answer: how they begin, and what is replied. */
const asides: readonly (readonly [RegExp, (prompt: string) => string])[] = [
  [
    /^Given the following conversation/,
    () => "Who held the world record for solving a Rubik's Cube before, and by how much was it beaten?",
  ],
  [/^Tell which passages help/, (prompt) => JSON.stringify({ helpful: helpfulIn(prompt) })],
  [
    /^Write another search query/,
    (prompt) => JSON.stringify({ query: /beautiful/.test(prompt) ? "prettiest cube" : "earlier records of Max Park" }),
  ],
  [/^Write a text in the language/, () => "No passage answers the question."],
];

/** Passages help if they are about records. What the first search of the second question found does not. */
function helpfulIn(prompt: string): number[] {
  const passages = [...prompt.matchAll(/^\[(\d+)\] (.*)$/gm)].map(([, number, place = ""]) => ({ number, place }));
  const isAnotherSearch = /Earlier/.test(passages[0]?.place ?? "");
  if (/beautiful/.test(prompt) || (/by how much/.test(prompt) && !isAnotherSearch)) return [];
  return passages.filter(({ place }) => /record/i.test(place)).map(({ number }) => Number(number));
}

const unknown =
  "This is a demo, and its model has a script. Ask one of these:\n\n" +
  Object.values(questions)
    .map((question) => `- ${question}`)
    .join("\n");

/** Replies to a request, by the last question of a person in it, and by how often the model has replied to it. */
export function replyTo(body: Body, pace: number): ServerReply {
  const messages = body.messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const prompt = messages.findLast(({ role }) => role === "user")?.text ?? "";
  const aside = asides.find(([begin]) => begin.test(prompt));
  if (aside) return spoken(aside[1](prompt), body, pace);
  // Behind the question may be corrections, which are messages of a user, too.
  const known = messages.map(({ role, text }) => (role === "user" ? scriptOf(text) : undefined));
  const asked = known.findLastIndex((script) => script !== undefined);
  const replies = known[asked] ?? [unknown];
  const said = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  return spoken(replies[Math.min(said, replies.length - 1)] ?? unknown, body, pace);
}

function scriptOf(text: string): readonly ServerReply[] | undefined {
  // A retrieval agent has passages before its question.
  const question = text.slice(Math.max(0, text.lastIndexOf("Question:")));
  return scripts.find(([about]) => about.test(question))?.[1];
}

/** Gives a reply the pace of its words, and tokens that fit its size. Of a prompt that was sent before, a part is cached. */
function spoken(reply: ServerReply, body: Body, pace: number): ServerReply {
  if (typeof reply === "number" || (typeof reply === "object" && !isSaid(reply))) return reply;
  const said = typeof reply === "string" ? { text: reply } : reply;
  const prompt = Math.ceil(JSON.stringify([body.messages, body.tools]).length / 4);
  const isFirst = !body.messages.some(({ role }) => role === "assistant");
  const words = JSON.stringify([said.text, said.toolCalls, said.reasoning]).length;
  const usage = {
    prompt,
    completion: Math.ceil(words / 4),
    cached: isFirst ? 0 : Math.floor((0.8 * prompt) / 128) * 128,
    reasoning: said.reasoning === undefined ? 0 : Math.ceil(JSON.stringify(said.reasoning).length / 4),
  };
  return { delayMs: 8 * pace, pauseMs: pace, usage, ...said };
}

function isSaid(reply: Exclude<ServerReply, string | number>): reply is Said {
  return !("status" in reply || "hang" in reply || "noChoices" in reply);
}

const blocks = z.array(z.looseObject({ text: z.string().default("") }));

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (blocks.safeParse(content).data ?? []).map(({ text }) => text).join("\n");
}
