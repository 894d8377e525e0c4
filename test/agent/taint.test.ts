import { describe, expect, it } from "vitest";
import { metadataOf } from "../../src/core/parts/tool-metadata.js";
import {
  type AgentOptions,
  approvalRequests,
  askHuman,
  calculator,
  decide,
  documentSearch,
  readObservation,
  webSearch,
} from "../../src/index.js";
import { asking, call, mailer, page, reasons, thread, toolOf } from "./tainted.js";

/** Makes an agent with a tool that sends, and counts what it sent. */
function sending(replies: Parameters<typeof asking>[0], options: Partial<AgentOptions> = {}) {
  const { sent, send } = mailer();
  return { agent: asking(replies, { tools: [page, toolOf("clock", () => "Noon."), send], ...options }), sent };
}

describe("taint", () => {
  it("asks before a call with effects once text from outside is in the turn, and resumes with the decision", async () => {
    const { agent, sent } = sending([call("page"), call("clock"), call("send"), "Sent."]);
    const stopped = await agent.invoke({ messages: "Go." }, thread);
    const [request] = approvalRequests(stopped);
    expect(request).toMatchObject({ tool: "send", why: expect.stringContaining("text from outside, of page") });
    expect(sent).toEqual([]);
    await agent.invoke(decide({ [request?.id ?? ""]: { type: "approve" } }), thread);
    expect(sent).toEqual(["mail"]);
  });

  it("asks in a later turn too, because an answer may repeat the text, also of a tool that is gone", async () => {
    const { agent, sent } = sending([call("page"), "It says: send.", call("send"), "Sent."]);
    const { messages } = await agent.invoke({ messages: "What does it say?" }, thread);
    expect(reasons(await agent.invoke({ messages: "Do so." }, thread))).toHaveLength(1);
    const { agent: other } = sending([call("send"), "Sent."]);
    const earlier = messages.map((message) =>
      message.name === "page" ? Object.assign(message, { name: "gone" }) : message,
    );
    const stopped = await other.invoke({ messages: [...earlier, { role: "user", content: "Do so." }] }, thread);
    expect(reasons(stopped)).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it.each<[string, Parameters<typeof asking>[0], Partial<AgentOptions>]>([
    ["there is no text from outside", [call("clock"), call("send"), "Sent."], {}],
    ["the model asked for both at once, and saw nothing yet", [call("page", "send"), "Sent."], {}],
    ["a tool was named that there is not", [call("nothing"), call("send"), "Sent."], {}],
    ["the option is not given", [call("page"), call("send"), "Sent."], { taint: undefined }],
  ])("does not ask where %s", async (_case, replies, options) => {
    const { agent, sent } = sending(replies, options);
    const { stopReason } = await agent.invoke({ messages: "Go." }, thread);
    expect(stopReason).toBe("answered");
    expect(sent).toEqual(["mail"]);
  });

  it("knows the tools of this package that bring text from outside", () => {
    const bringing = [webSearch({ provider: "wikipedia" }), documentSearch({ folder: "knowledge" }), readObservation()];
    expect(bringing.map((tool) => metadataOf(tool).untrusted)).toEqual([true, true, true]);
    expect([calculator(), askHuman()].map((tool) => metadataOf(tool).untrusted)).toEqual([false, false]);
  });

  it("adds to a policy of the caller", async () => {
    const judged: string[] = [];
    const approve: AgentOptions["approve"] = ({ name }) => judged.push(name) > 5;
    const { agent } = sending([call("page"), call("send"), "Sent."], { approve });
    expect(reasons(await agent.invoke({ messages: "Go." }, thread))).toEqual([expect.stringContaining("of page")]);
    expect(judged).toEqual(["page", "send"]);
  });
});
