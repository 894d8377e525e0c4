/**
 * The forms in which families of models write a call as text. A new family is a new row.
 *
 * `around` are the signs before and after all calls of a reply. `call` is one call, `field` one argument, if each has signs
 * of its own. Words in capitals are gaps:
 *
 * - `NAME`: the name of the tool. `ID`: a number or an id, which is not read. `SIGNS`: other signs of the family.
 * - `CALLS`: JSON with names and arguments: an object, a list, or several objects.
 * - `CODE`: calls in Python, such as `f(a="x")`, in a list or on lines of their own.
 * - `ARGUMENTS`: a JSON object. `FIELDS`: fields in a row. `WORDS`: text for a tool with one argument.
 * - `KEY`, `VALUE`: one argument. `TYPE`: `true` or `string` for a text, any other word for JSON.
 *
 * White space in a form stands for any white space, also none. In a reply signs may be missing at its end. Values are typed by the
 * schema of the tool; an argument without a schema is JSON if `values` says so, and otherwise text.
 */
export interface CallForm {
  /** The families of models with this form. */
  readonly families: string;
  readonly around?: readonly [opening: string, closing: string];
  readonly call: string;
  readonly field?: string;
  readonly values?: "json";
  /** The token before and after a text in `ARGUMENTS`, in the place of quotes. */
  readonly quote?: string;
  /** True if other texts have the signs, too. The form then counts only for a tool that is offered. */
  readonly weak?: true;
}

const keyAndValue = "<arg_key>KEY</arg_key> <arg_value>VALUE</arg_value>";

/** Calls in JSON with the name in it, between two signs. */
function inJson(families: string, opening: string, closing = opening.replace("<", "</")): CallForm {
  return { families, around: [opening, closing], call: "CALLS" };
}

/** A name with its arguments in signs of their own, between two tags. */
function inTag(families: string, tag: string, call: string, field: string, values?: "json"): CallForm {
  return { families, around: [`<${tag}>`, `</${tag}>`], call, field, ...(values && { values }) };
}

/** Tags of Claude, with the prefix of a family. Some families say in an attribute whether a value is a text. */
function invoked(families: string, around: readonly [string, string], prefix = "", type = ""): CallForm {
  const [call, field] = [`${prefix}invoke`, `${prefix}parameter`];
  return {
    families,
    around,
    call: `<${call} name="NAME"> FIELDS </${call}>`,
    field: `<${field} name="KEY"${type}>VALUE</${field}>`,
  };
}

const isText = ' string="TYPE"';

export const callForms: readonly CallForm[] = [
  // JSON with the name in it
  inJson("Hermes, Qwen 2.5, Qwen 3, Granite 4, ERNIE 4.5, Reka Edge, xLAM", "<tool_call>"),
  inJson("Qwen 2.5 Coder", "<tools>"),
  inJson("LM Studio for other models", "[TOOL_REQUEST]", "[END_TOOL_REQUEST]"),
  inJson("Glaive", "<functioncall>"),
  inJson("LongCat", "<longcat_tool_call>"),
  inJson("Hunyuan A13B, Jamba, Apriel, MiniMax M1", "<tool_calls>"),
  inJson("Nemotron", "<TOOLCALL>"),
  inJson("Granite 3", "<|tool_call|>", ""),
  inJson("Granite 20B", "<function_call>"),
  inJson("InternLM 2", "<|action_start|> <|plugin|>", "<|action_end|>"),
  { ...inJson("Phi 4 mini, FireFunction 2", "functools", ""), weak: true },
  inJson("Mistral, xLAM", "[TOOL_CALLS]", "[/TOOL_CALLS]"),
  inJson("Llama 3", "<|python_tag|>", ""),
  inJson("Pangu", "<|tool_call_start|>", "<|tool_call_end|>"),
  inJson("Pangu without its names", "[unused11]", "[unused12]"),
  inJson("Inkling", "<|content_invoke_tool_json|>", "<|end_message|>"),
  inJson("Apertus", "<|tools_prefix|>", "<|tools_suffix|>"),
  inJson("Command R7B, Command A", "<|START_ACTION|>", "<|END_ACTION|>"),
  inJson("GigaChat 3", "function call<|role_sep|>", ""),
  inJson("GigaChat 3.1", "<|function_call|>", ""),
  // The name before JSON
  {
    families: "Kimi K2",
    around: ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
    call: "<|tool_call_begin|> NAME:ID <|tool_call_argument_begin|> ARGUMENTS <|tool_call_end|>",
  },
  { families: "Kimi K2 without its tokens", call: "functions.NAME:ID ARGUMENTS", weak: true },
  {
    families: "DeepSeek V3, R1",
    around: ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"],
    call: "<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME ARGUMENTS <｜tool▁call▁end｜>",
  },
  {
    families: "DeepSeek V3.1",
    around: ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"],
    call: "<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>",
  },
  { families: "Mistral since 11", around: ["[TOOL_CALLS]", ""], call: "NAME[ARGS]ARGUMENTS" },
  { families: "Mistral Small 3.2", around: ["[TOOL_CALLS]", ""], call: "NAME[CALL_ID]ID[ARGS]ARGUMENTS" },
  { families: "Llama 3.1, Functionary 3.1", call: "<function=NAME>ARGUMENTS</function>" },
  { families: "Functionary 3.2", call: ">>>NAME\nARGUMENTS", weak: true },
  {
    families: "gpt-oss",
    call: "to=functions.NAME SIGNS<|message|>ARGUMENTS<|call|>",
  },
  { families: "gpt-oss without its tokens", call: "to=functions.NAME SIGNS json ARGUMENTS", weak: true },
  {
    families: "Solar Open",
    call: "<|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>ARGUMENTS<|tool_call:end|>",
  },
  { families: "GLM 5.3 Flash", call: "<![NAME>ARGUMENTS" },
  {
    families: "MiroThinker",
    call:
      "<use_mcp_tool> <server_name>ID</server_name> <tool_name>NAME</tool_name> <arguments> ARGUMENTS </arguments> " +
      "</use_mcp_tool>",
  },
  {
    families: "PLaMo 3",
    around: ["<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"],
    call:
      "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>NAME<|plamo:end_tool_name:plamo|>" +
      "<|plamo:begin_tool_arguments:plamo|>SIGNS ARGUMENTS<|plamo:end_tool_arguments:plamo|>" +
      "<|plamo:end_tool_request:plamo|>",
  },
  {
    families: "FunctionGemma",
    around: ["<start_function_call>", "<end_function_call>"],
    call: "call:NAME ARGUMENTS",
    quote: "<escape>",
  },
  { families: "Gemma 4", around: ["<|tool_call>", "<tool_call|>"], call: "call:NAME ARGUMENTS", quote: '<|"|>' },
  // Each argument in signs of its own
  inTag(
    "Qwen 3 Coder, Qwen 3.5, Nemotron 3 Nano, Step 3.5",
    "tool_call",
    "<function=NAME> FIELDS </function>",
    "<parameter=KEY>VALUE</parameter>",
  ),
  inTag("Seed-OSS", "seed:tool_call", "<function=NAME> FIELDS </function>", "<parameter=KEY>VALUE</parameter>"),
  inTag("GLM 4.5 to 5, HyperCLOVA X", "tool_call", "NAME FIELDS", keyAndValue, "json"),
  inTag("Hunyuan 3", "tool_calls", "<tool_call>NAME<tool_sep> FIELDS </tool_call>", keyAndValue, "json"),
  inTag("IQuest Coder", "iquestcoder_tool_call", "NAME FIELDS", keyAndValue, "json"),
  inTag("IQuest Q1", "iquest_tool_call", "NAME FIELDS", keyAndValue, "json"),
  inTag("TeleChat 4, Xing 4", "tool_call", "NAME FIELDS", keyAndValue.replaceAll("arg", "param")),
  inTag(
    "K2 Horizon",
    "ifm|tool_call",
    "NAME FIELDS",
    "<ifm|arg_key>KEY</ifm|arg_key> SIGNS <ifm|arg_value>VALUE</ifm|arg_value>",
    "json",
  ),
  inJson("K2 Horizon with JSON", "<ifm|tool_calls>"),
  {
    families: "Kimi K3",
    around: ["<|open|>tools<|sep|>", "<|close|>tools<|sep|>"],
    call: '<|open|>call tool="NAME" index="ID"<|sep|> FIELDS <|close|>call<|sep|>',
    field: '<|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>',
  },
  invoked("MiniMax M2", ["<minimax:tool_call>", "</minimax:tool_call>"]),
  {
    families: "MiniMax M3",
    around: ["]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"],
    call: ']<]minimax[>[<invoke name="NAME"> FIELDS ]<]minimax[>[</invoke>',
    field: "]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>",
  },
  invoked("dots", ["<dots_function_call>", "</dots_function_call>"]),
  invoked("Claude as text", ["<function_calls>", "</function_calls>"]),
  invoked("DeepSeek V3.2", ["<｜DSML｜function_calls>", "</｜DSML｜function_calls>"], "｜DSML｜", isText),
  invoked("DeepSeek V4", ["<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"], "｜DSML｜", isText),
  invoked("DeepSeek V4.1", ["<｜DSML｜ calls>", "</｜DSML｜ calls>"], "｜DSML｜ ", isText),
  invoked("GigaChat 3.5", ["<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"], "｜GCML｜", isText),
  invoked("Muse Glimmer", ["<atem:function_calls>", "</atem:function_calls>"], "atem:"),
  invoked("Step 3", ["<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"], "steptml:"),
  {
    families: "Solar Open 2",
    call: "<|tool_call:start|>NAME FIELDS <|tool_call:end|>",
    field: "<|tool_arg:start|>KEY<|tool_arg:value|>VALUE<|tool_arg:end|>",
  },
  {
    families: "MiniCPM 5",
    call: '<function name="NAME"> FIELDS </function>',
    field: '<param name="KEY">VALUE</param>',
  },
  // Python
  { families: "Llama 4", around: ["<|python_start|>", "<|python_end|>"], call: "CODE" },
  { families: "LFM 2", around: ["<|tool_call_start|>", "<|tool_call_end|>"], call: "CODE" },
  { families: "OLMo 3", around: ["<function_calls>", "</function_calls>"], call: "CODE" },
  // Words
  { families: "CWM", call: "<tool: function> NAME WORDS </tool>" },
  { families: "LangChain's XML agent", call: "<tool>NAME</tool> <tool_input>WORDS</tool_input>" },
  {
    families: "Claude 2 as text",
    around: ["<function_calls>", "</function_calls>"],
    call: "<invoke> <tool_name>NAME</tool_name> <parameters> WORDS </parameters> </invoke>",
  },
  { families: "Tags for name and arguments", call: "<tool_name>NAME</tool_name> <arguments>WORDS</arguments>" },
  { families: "Tags with the name of a tool", call: "<NAME> WORDS </NAME>", weak: true },
];

const thinkingTags =
  "think thinking thought reasoning reflection seed:think mm:think longcat_think ifm|think ifm|think_fast ifm|think_faster";

/** The signs around the thoughts of a model. The opening one may be missing: it then ends the prompt. */
export const thinkingSigns: readonly (readonly [opening: string, closing: string])[] = [
  ...thinkingTags.split(" ").map((tag) => [`<${tag}>`, `</${tag}>`] as const),
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["◁think▷", "◁/think▷"],
  ["[THINK]", "[/THINK]"],
  ["[unused16]", "[unused17]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|inner_prefix|>", "<|inner_suffix|>"],
  ["<|think:start|>", "<|think:end|>"],
  ["<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"],
  ["<|open|>think<|sep|>", "<|close|>think<|sep|>"],
  // Apriel's thoughts begin in the prompt.
  ["", "[BEGIN FINAL RESPONSE]"],
];

const answerTokens =
  "CHATBOT_TOKEN START_RESPONSE END_RESPONSE START_TEXT END_TEXT message_model content_text end_message end_of_msg";

/** The signs around an answer, which no person is meant to see. */
export const answerSigns: readonly string[] = [
  ...[
    "[END FINAL RESPONSE]",
    ">>>all\n",
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|close|>message<|sep|>",
  ],
  ...[...answerTokens.split(" "), "content_model_end_sampling"].map((name) => `<|${name}|>`),
];
