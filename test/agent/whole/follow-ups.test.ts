import { describe, expect, it } from "vitest";
import type { Sent } from "../../helpers/lines.js";
import { look, openTalk } from "./talk.js";
import { call, chat, said } from "./ways.js";

describe("the prompt of a turn's last call with its reply", () => {
  const turns = Array.from({ length: 6 }, (_, turn) => [
    { content: "I look.", calls: [call(`c${turn}`)] },
    said(`It is ${turn}.`),
  ]).flat();

  it.each(["whole", "streamed"] as const)("is the beginning of the next turn's prompts (%s)", async (way) => {
    await using talk = await openTalk({ line: { way, replies: turns } });
    let before: Sent[] = [];
    for (let turn = 0; turn < 6; turn++) {
      for (const sent of await talk.ask(`Question ${turn}?`)) {
        expect(sent.slice(0, before.length)).toEqual(before);
        before = sent;
      }
      before = [...before, { role: "assistant", content: `It is ${turn}.` }];
    }
  });
});

describe("a follow-up", () => {
  const protocols = ["tool-calling", "react", "structured-chat", "conversational", "self-ask"] as const;
  const answerIn = (protocol: (typeof protocols)[number], text: string) =>
    ({
      "tool-calling": text,
      react: ` I know.\nFinal Answer: ${text}`,
      "structured-chat": `{"action": "Final Answer", "action_input": "${text}"}`,
      conversational: `Thought: Do I need to use a tool? No\nAI: ${text}`,
      "self-ask": `No.\nSo the final answer is: ${text}`,
    })[protocol];

  it.each(protocols)("is shown in the person's own words, after the earlier turn (%s)", async (protocol) => {
    const replies = ["Four and a half.", "Quatre et demi."].map((text) => said(answerIn(protocol, text)));
    const rephrasing = protocol === "tool-calling" ? [] : [said("How is four and a half said in French?")];
    const [first, second] = replies;
    const line = chat(...(first ? [first] : []), ...rephrasing, ...(second ? [second] : []));
    await using talk = await openTalk({
      line,
      tools: protocol === "self-ask" ? [look()] : [],
      options: { protocol, rephrase: undefined },
    });
    await talk.ask("How many?");
    const sent = (await talk.ask("Translate your last answer into French.")).at(-1);
    for (const text of ["How many?", "Four and a half.", "Translate your last answer into French."])
      expect(JSON.stringify(sent)).toContain(text);
  });

  it("costs no call of its own with native calls", async () => {
    await using talk = await openTalk({ line: chat(said("5."), said("Cinq.")), options: { rephrase: undefined } });
    await talk.ask("How many?");
    expect(await talk.ask("In French?")).toHaveLength(1);
  });

  it("is answered if it cannot be rephrased", async () => {
    const line = chat(said("5."), said("Cinq."));
    await using talk = await openTalk({ line, options: { rephrase: true } }, 1);
    await talk.ask("How many?");
    const sent = (await talk.ask("In French?")).at(-1);
    expect(sent?.at(-1)).toMatchObject({ role: "user", content: "In French?" });
  });

  it("has its standalone question after the person's words, in its turn only", async () => {
    const line = chat(
      said("5."),
      said("What is 5 in French?"),
      said("Cinq."),
      said("What is 5 in Latin?"),
      said("Quinque."),
    );
    await using talk = await openTalk({ line, options: { rephrase: true } });
    await talk.ask("How many?");
    const second = JSON.stringify((await talk.ask("In French?")).at(-1));
    expect(second.indexOf("In French?")).toBeLessThan(second.indexOf("What is 5 in French?"));
    expect(second.indexOf("In French?")).toBeGreaterThan(0);
    const third = JSON.stringify((await talk.ask("In Latin?")).at(-1));
    expect(third).toContain("In French?");
    expect(third).not.toContain("What is 5 in French?");
  });
});
