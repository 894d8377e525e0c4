import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/by-name.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";

const react = protocols.react.parse;

function cut(text: string, finishReason = "length") {
  return { text, toolCalls: [], invalidToolCalls: [], finishReason };
}

describe("a reply that the provider cut off", () => {
  const why = expect.stringContaining("cut off");

  it.each([
    "Action: search\nAction Input: weather in Par",
    'Action: search\nAction Input: {"query": "weather in Par',
    "Action: search\nAction Input: ```\nSELECT *",
    "Action: search[weather in Par",
    "<function=search><parameter=query>weather</parameter><parameter=city>Par",
    "The capital of France is Par",
    "",
  ])("is unparseable if its action is incomplete: %j", (text) => {
    expect(react(cut(text), ["search"])).toEqual({ kind: "unparseable", why });
  });

  it.each([
    'Action: search\nAction Input: {"query": "weather"}',
    "Action: search\nAction Input: ```\nSELECT 1\n```",
    'Action: search\nAction Input: "weather in Paris"',
    "Action: search\nAction Input: weather in Paris\nObservation: it is",
    '{"action": "search", "action_input": "weather in Paris"}',
    "<function=search><parameter=query>weather in Paris</parameter></function> I wait for",
  ])("is parsed if its action was complete before the cut: %j", (text) => {
    expect(react(cut(text), ["search"])).toMatchObject({ kind: "action", actions: [{ tool: "search" }] });
  });

  it("is cut in the other protocols too", () => {
    expect(protocols["structured-chat"].parse(cut('{"action": "search", "action_input": "wea'), ["search"])).toEqual({
      kind: "unparseable",
      why,
    });
    expect(protocols["self-ask"].parse(cut("Follow up: Who wrote"), ["search"])).toEqual({ kind: "unparseable", why });
    expect(protocols["self-ask"].parse(cut("Follow up: Who wrote The Trial?"), ["search"])).toMatchObject({
      kind: "action",
    });
  });

  it.each([
    ["react", " I know.\nFinal Answer: The capital of France is Par", "The capital of France is Par"],
    ["structured-chat", "Final Answer: The capital of France is Par", "The capital of France is Par"],
    ["conversational", "Do I need to use a tool? No\nAI: Hel", "Hel"],
    ["self-ask", "So the final answer is: Fra", "Fra"],
    ["tool-calling", "The capital of France is Par", "The capital of France is Par"],
  ] as const)("is a cut answer in %s, where it breaks off in the middle of one", (name, text, output) => {
    expect(protocols[name].parse(cut(text), ["search"])).toMatchObject({ kind: "finish", output, cut: "length" });
    const whole = protocols[name].parse(cut(text, "stop"), ["search"]);
    expect(whole).toMatchObject({ kind: "finish", output });
    expect(whole).not.toHaveProperty("cut");
  });

  it.each(["length", "stop"])("is a cut answer if it breaks off in JSON, with the reason %s, too", (reason) => {
    const text = '{"action": "Final Answer", "action_input": "The capital of France is Par';
    const answer = { kind: "finish", output: "The capital of France is Par", cut: "length" };
    expect(protocols["structured-chat"].parse(cut(text, reason), ["search"])).toEqual(answer);
  });

  it("is a whole answer when the answer had ended before", () => {
    const parsed = react(cut("Final Answer: 5\nThought: I could also"), []);
    expect(parsed).toMatchObject({ kind: "finish", output: "5" });
    expect(parsed).not.toHaveProperty("cut");
  });

  it.each(["content_filter", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"])(
    "says so when it was the content filter: %s",
    (reason) => {
      expect(react(cut("Final Answer: The way to", reason), [])).toMatchObject({
        output: "The way to",
        cut: "filtered",
      });
      expect(react(cut("Action: search", reason), ["search"])).toEqual({
        kind: "unparseable",
        why: expect.stringContaining("content filter"),
      });
    },
  );
});

describe("an action without an input", () => {
  const spec = (name: string, required?: readonly string[]): ToolSpec => ({
    name,
    description: "",
    parameters: { type: "object", properties: { query: { type: "string" } }, ...(required ? { required } : {}) },
  });

  it("is complete when the tool's schema requires no field, whatever the tool's name is", () => {
    expect(react("Action: search_all", [spec("search_all")])).toMatchObject({
      actions: [{ tool: "search_all", toolInput: "" }],
    });
    expect(react("Action: list_files", [spec("list_files", ["query"])])).toMatchObject({ kind: "unparseable" });
  });

  it("depends on the tool's name when there is no schema", () => {
    for (const tool of ["list_tables", "sql_db_list_tables", "current_time", "getCurrentDate", "ping"]) {
      expect(react(`Action: ${tool}`, [tool])).toMatchObject({ actions: [{ tool, toolInput: "" }] });
    }
    for (const tool of ["web_search", "Calculator", "python_repl", "Wikipedia", "translate", "telescope"]) {
      expect(react(`Action: ${tool}`, [tool])).toMatchObject({
        kind: "unparseable",
        why: expect.stringContaining(tool),
      });
    }
  });
});

describe("tool names", () => {
  it("are never guessed between two", () => {
    expect(react("Action: get note\nAction Input: 1", ["get_note", "GetNote"])).toMatchObject({
      actions: [{ tool: "get note" }],
    });
    expect(react("Action: GetNote\nAction Input: 1", ["get_note", "GetNote"])).toMatchObject({
      actions: [{ tool: "GetNote" }],
    });
  });

  it("are matched to the longest that fits", () => {
    const tools = ["Get Issue", "Get Issues", "Get Issues of a User"];
    expect(react("Action: Get Issues of a User\nAction Input: ana", tools)).toMatchObject({
      actions: [{ tool: "Get Issues of a User" }],
    });
    expect(react("Action: Get Issues(open)", tools)).toMatchObject({
      actions: [{ tool: "Get Issues", toolInput: "open" }],
    });
  });

  it("stay unchanged when there is no such tool", () => {
    expect(react("Action: *telescope*\nAction Input: Saturn", ["search"])).toMatchObject({
      actions: [{ tool: "telescope" }],
    });
    expect(react('{"action": "telescope", "action_input": "Saturn"}', ["search"])).toMatchObject({
      actions: [{ tool: "telescope" }],
    });
  });
});

describe("the log of an action", () => {
  it("is the model's text up to the end of the action", () => {
    expect(
      react(" Look.\nAction: search\nAction Input: x\n\nObservation: y\nFinal Answer: z", ["search"]),
    ).toMatchObject({
      actions: [{ log: " Look.\nAction: search\nAction Input: x" }],
    });
  });
});

describe("a plain answer", () => {
  it("may be long and hold code", () => {
    const paragraphs = Array.from({ length: 200 }, (_, n) => `Chapter ${n} of the book was printed in ${1800 + n}.`);
    const code = "```\nprint(1)\n```";
    const text = [...paragraphs.slice(0, 100), code, ...paragraphs.slice(100)].join("\n\n");
    expect(react(text, ["search"])).toEqual({ kind: "finish", output: text });
    expect(react(text.replace("print(1)\n```", "print(1)"), ["search"])).toMatchObject({ kind: "unparseable" });
  });
});
