import { describe, expect, it } from "vitest";
import { dialects, inReact, inToolCalls } from "../../matrix/dialects.js";
import { matrix } from "../../matrix/matrix.js";
import { openTalk } from "./talk.js";
import { chat, said } from "./ways.js";

describe("a follow-up", () => {
  it.each(matrix(dialects, inReact, inToolCalls))(
    "is shown in the person's own words, after the earlier turn ($protocol)",
    async ({ protocol, answer }) => {
      const replies = ["Four and a half.", "Quatre et demi."].map((text) => said(String(answer(text))));
      const rephrasing = protocol === "tool-calling" ? [] : [said("How is four and a half said in French?")];
      const line = chat(...replies.toSpliced(1, 0, ...rephrasing));
      await using talk = await openTalk({ line, options: { protocol, rephrase: undefined } });
      await talk.ask("How many?");
      const calls = await talk.ask("Translate your last answer into French.");
      // It costs no call of its own with native calls.
      expect(calls).toHaveLength(1 + rephrasing.length);
      for (const text of ["How many?", "Four and a half.", "Translate your last answer into French."])
        expect(JSON.stringify(calls.at(-1))).toContain(text);
    },
  );

  it("is answered if it cannot be rephrased", async () => {
    const line = chat(said("5."), said("Cinq."));
    await using talk = await openTalk({ line, options: { rephrase: true } }, 1);
    await talk.ask("How many?");
    const sent = (await talk.ask("In French?")).at(-1);
    expect(sent?.at(-1)).toMatchObject({ role: "user", content: "In French?" });
  });

  it("has its standalone question after the person's words, in its turn only", async () => {
    const line = chat(...["5.", "What is 5 in French?", "Cinq.", "What is 5 in Latin?", "Quinque."].map(said));
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
