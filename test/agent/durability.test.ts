import { tool } from "@langchain/core/tools";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { approvalRequests, continueTurn, createAgent, decide, edit, regenerate, replay } from "../../src/index.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { databaseKinds } from "../threads/each-database.js";
import { at, openKind } from "../threads/open-kind.js";

const call = (name: string) => ({ content: "", tool_calls: [{ id: name, name, args: {} }] });

describe.each(databaseKinds)("kept in $name", (kind) => {
  describe.each([
    { durability: "sync", keepsSteps: true },
    { durability: "async", keepsSteps: true },
    { durability: "exit", keepsSteps: false },
  ] as const)("a thread with the durability $durability", ({ durability, keepsSteps }) => {
    async function open() {
      const { threads } = await openKind(kind);
      let paid = 0;
      const acts = (name: string, approve: boolean) =>
        tool(
          () => {
            paid += 1;
            return name;
          },
          {
            name,
            description: name,
            schema: z.object({}),
            metadata: { effects: true, approve },
          },
        );
      const agentWith = (...replies: (ScriptedReply | ScriptedReplyMaker)[]) =>
        createAgent({
          model: scriptedModel(replies),
          tools: [acts("pay", false), acts("refund", true)],
          protocol: "tool-calling",
          rephrase: false,
          checkpointer: threads.checkpointer,
          durability,
        });
      return { threads, agentWith, paid: () => paid };
    }

    test("goes on after a failure, and makes no call again", async () => {
      const { agentWith, paid } = await open();
      const agent = agentWith(call("pay"), new Error("away"), "Paid.");
      await expect(agent.invoke({ messages: "Pay." }, at("t"))).rejects.toThrow("away");
      expect((await agent.invoke(null, at("t"))).answer).toBe("Paid.");
      expect(paid()).toBe(1);
    });

    test("goes on after its caller cancelled it, and makes no call again", async () => {
      const { agentWith, paid } = await open();
      const cancelling = new AbortController();
      const cancelled = () => {
        cancelling.abort(new Error("enough"));
        return new Promise<string>(() => {});
      };
      const agent = agentWith(call("pay"), cancelled, "Paid.");
      const run = agent.invoke({ messages: "Pay." }, { ...at("t"), signal: cancelling.signal });
      await expect(run).rejects.toThrow("enough");
      expect((await agent.invoke(null, at("t"))).answer).toBe("Paid.");
      expect(paid()).toBe(1);
    });

    test("goes on with a decision, and makes no call again", async () => {
      const { agentWith, paid } = await open();
      const agent = agentWith(call("pay"), call("refund"), "Refunded.");
      const [request] = approvalRequests(await agent.invoke({ messages: "Refund." }, at("t")));
      expect(paid()).toBe(1);
      const { answer } = await agent.invoke(decide({ [request?.id ?? ""]: "approve" }), at("t"));
      expect([answer, paid()]).toEqual(["Refunded.", 2]);
    });

    test("goes on after a limit", async () => {
      const { threads, agentWith } = await open();
      const limited = createAgent({
        model: scriptedModel([call("pay"), call("pay")]),
        tools: [],
        protocol: "tool-calling",
        limits: { maxSteps: 1, earlyStopping: "force" },
        rephrase: false,
        checkpointer: threads.checkpointer,
        durability,
      });
      expect((await limited.invoke({ messages: "Pay." }, at("t"))).stopReason).toBe("step-limit");
      expect((await continueTurn(agentWith("Paid."), "t")).answer).toBe("Paid.");
    });

    test(`${keepsSteps ? "goes back" : "cannot go back"} to the question and to the steps`, async () => {
      const { threads, agentWith } = await open();
      const agent = agentWith("Hello.", call("pay"), "Paid.", "Again.", "Changed.", "Once more.");
      await agent.invoke({ messages: "Hi" }, at("t"));
      await agent.invoke({ messages: "Pay." }, at("t"));
      const { turns } = await threads.history("t");
      expect(turns.map(({ steps }) => steps.length > 1)).toEqual([keepsSteps, keepsSteps]);
      const end = turns[0]?.steps.at(-1)?.checkpoint ?? "";
      expect(await replay(agent, "t", end)).toMatchObject({ answer: "Hello." });
      expect(await threads.fork("t", end, "fork")).toMatchObject({ turns: 1, status: "idle" });
      const back = Promise.all([
        await regenerate(agent, "t").catch(codeOf),
        await edit(agent, "t", "Pay me.").catch(codeOf),
      ]);
      const refused = "no-turn-to-repeat";
      expect(await back).toMatchObject(
        keepsSteps ? [{ answer: "Again." }, { answer: "Changed." }] : [refused, refused],
      );
    });

    test(`${keepsSteps ? "is kept" : "is not kept"} while its first run is at work`, async () => {
      const { threads, agentWith } = await open();
      const seen: unknown[] = [];
      const look = async () => {
        // An asynchronous write may take a moment.
        if (keepsSteps) await expect.poll(() => threads.get("t")).toMatchObject({ lastQuestion: "Pay." });
        seen.push((await threads.get("t"))?.lastQuestion);
        return "Paid.";
      };
      await agentWith(call("pay"), look).invoke({ messages: "Pay." }, at("t"));
      expect(seen).toEqual([keepsSteps ? "Pay." : undefined]);
    });
  });
});

const codeOf = (error: unknown) => z.object({ code: z.string() }).parse(error).code;
