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

const parameter = '<parameter name="KEY">VALUE</parameter>';
const keyAndValue = "<arg_key>KEY</arg_key> <arg_value>VALUE</arg_value>";

export const callForms: readonly CallForm[] = [
  // JSON with the name in it
  {
    families: "Hermes, Qwen 2.5, Qwen 3, Granite 4, ERNIE 4.5, Reka Edge, xLAM",
    around: ["<tool_call>", "</tool_call>"],
    call: "CALLS",
  },
  { families: "Qwen 2.5 Coder", around: ["<tools>", "</tools>"], call: "CALLS" },
  { families: "LM Studio for other models", around: ["[TOOL_REQUEST]", "[END_TOOL_REQUEST]"], call: "CALLS" },
  { families: "Glaive", around: ["<functioncall>", "</functioncall>"], call: "CALLS" },
  { families: "LongCat", around: ["<longcat_tool_call>", "</longcat_tool_call>"], call: "CALLS" },
  { families: "Hunyuan A13B, Jamba, Apriel, MiniMax M1", around: ["<tool_calls>", "</tool_calls>"], call: "CALLS" },
  { families: "Nemotron", around: ["<TOOLCALL>", "</TOOLCALL>"], call: "CALLS" },
  { families: "Granite 3", around: ["<|tool_call|>", ""], call: "CALLS" },
  { families: "Granite 20B", around: ["<function_call>", "</function_call>"], call: "CALLS" },
  { families: "InternLM 2", around: ["<|action_start|> <|plugin|>", "<|action_end|>"], call: "CALLS" },
  { families: "Phi 4 mini, FireFunction 2", around: ["functools", ""], call: "CALLS", weak: true },
  { families: "Mistral, xLAM", around: ["[TOOL_CALLS]", "[/TOOL_CALLS]"], call: "CALLS" },
  { families: "Llama 3", around: ["<|python_tag|>", ""], call: "CALLS" },
  { families: "Pangu", around: ["<|tool_call_start|>", "<|tool_call_end|>"], call: "CALLS" },
  { families: "Pangu without its names", around: ["[unused11]", "[unused12]"], call: "CALLS" },
  { families: "Inkling", around: ["<|content_invoke_tool_json|>", "<|end_message|>"], call: "CALLS" },
  { families: "Apertus", around: ["<|tools_prefix|>", "<|tools_suffix|>"], call: "CALLS" },
  { families: "Command R7B, Command A", around: ["<|START_ACTION|>", "<|END_ACTION|>"], call: "CALLS" },
  { families: "GigaChat 3", around: ["function call<|role_sep|>", ""], call: "CALLS" },
  { families: "GigaChat 3.1", around: ["<|function_call|>", ""], call: "CALLS" },
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
      "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>ARGUMENTS<|plamo:end_tool_arguments:plamo|>" +
      "<|plamo:end_tool_request:plamo|>",
  },
  {
    families: "FunctionGemma",
    call: "<start_function_call>call:NAME ARGUMENTS<end_function_call>",
    quote: "<escape>",
  },
  { families: "Gemma 4", call: "<|tool_call>call:NAME ARGUMENTS<tool_call|>", quote: '<|"|>' },
  // Each argument in signs of its own
  {
    families: "Qwen 3 Coder, Qwen 3.5, Nemotron 3 Nano, Step 3.5",
    around: ["<tool_call>", "</tool_call>"],
    call: "<function=NAME> FIELDS </function>",
    field: "<parameter=KEY>VALUE</parameter>",
  },
  {
    families: "Seed-OSS",
    around: ["<seed:tool_call>", "</seed:tool_call>"],
    call: "<function=NAME> FIELDS </function>",
    field: "<parameter=KEY>VALUE</parameter>",
  },
  {
    families: "GLM 4.5 to 5, HyperCLOVA X",
    around: ["<tool_call>", "</tool_call>"],
    call: "NAME FIELDS",
    field: keyAndValue,
    values: "json",
  },
  {
    families: "Hunyuan 3",
    around: ["<tool_calls>", "</tool_calls>"],
    call: "<tool_call>NAME<tool_sep> FIELDS </tool_call>",
    field: keyAndValue,
    values: "json",
  },
  {
    families: "IQuest Coder",
    around: ["<iquestcoder_tool_call>", "</iquestcoder_tool_call>"],
    call: "NAME FIELDS",
    field: keyAndValue,
    values: "json",
  },
  {
    families: "IQuest Q1",
    around: ["<iquest_tool_call>", "</iquest_tool_call>"],
    call: "NAME FIELDS",
    field: keyAndValue,
    values: "json",
  },
  {
    families: "TeleChat 4, Xing 4",
    around: ["<tool_call>", "</tool_call>"],
    call: "NAME FIELDS",
    field: "<param_key>KEY</param_key> <param_value>VALUE</param_value>",
  },
  {
    families: "K2 Horizon",
    around: ["<ifm|tool_call>", "</ifm|tool_call>"],
    call: "NAME FIELDS",
    field: "<ifm|arg_key>KEY</ifm|arg_key> SIGNS <ifm|arg_value>VALUE</ifm|arg_value>",
    values: "json",
  },
  { families: "K2 Horizon with JSON", around: ["<ifm|tool_calls>", "</ifm|tool_calls>"], call: "CALLS" },
  {
    families: "Kimi K3",
    around: ["<|open|>tools<|sep|>", "<|close|>tools<|sep|>"],
    call: '<|open|>call tool="NAME" index="ID"<|sep|> FIELDS <|close|>call<|sep|>',
    field: '<|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>',
  },
  {
    families: "MiniMax M2",
    around: ["<minimax:tool_call>", "</minimax:tool_call>"],
    call: '<invoke name="NAME"> FIELDS </invoke>',
    field: parameter,
  },
  {
    families: "MiniMax M3",
    around: ["]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"],
    call: ']<]minimax[>[<invoke name="NAME"> FIELDS ]<]minimax[>[</invoke>',
    field: "]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>",
  },
  {
    families: "dots",
    around: ["<dots_function_call>", "</dots_function_call>"],
    call: '<invoke name="NAME"> FIELDS </invoke>',
    field: parameter,
  },
  {
    families: "Claude as text",
    around: ["<function_calls>", "</function_calls>"],
    call: '<invoke name="NAME"> FIELDS </invoke>',
    field: parameter,
  },
  {
    families: "DeepSeek V3.2",
    around: ["<｜DSML｜function_calls>", "</｜DSML｜function_calls>"],
    call: '<｜DSML｜invoke name="NAME"> FIELDS </｜DSML｜invoke>',
    field: '<｜DSML｜parameter name="KEY" string="TYPE">VALUE</｜DSML｜parameter>',
  },
  {
    families: "DeepSeek V4",
    around: ["<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"],
    call: '<｜DSML｜invoke name="NAME"> FIELDS </｜DSML｜invoke>',
    field: '<｜DSML｜parameter name="KEY" string="TYPE">VALUE</｜DSML｜parameter>',
  },
  {
    families: "DeepSeek V4.1",
    around: ["<｜DSML｜ calls>", "</｜DSML｜ calls>"],
    call: '<｜DSML｜ invoke name="NAME"> FIELDS </｜DSML｜ invoke>',
    field: '<｜DSML｜ parameter name="KEY" string="TYPE">VALUE</｜DSML｜ parameter>',
  },
  {
    families: "GigaChat 3.5",
    around: ["<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>"],
    call: '<｜GCML｜invoke name="NAME"> FIELDS </｜GCML｜invoke>',
    field: '<｜GCML｜parameter name="KEY" string="TYPE">VALUE</｜GCML｜parameter>',
  },
  {
    families: "Muse Glimmer",
    around: ["<atem:function_calls>", "</atem:function_calls>"],
    call: '<atem:invoke name="NAME"> FIELDS </atem:invoke>',
    field: '<atem:parameter name="KEY">VALUE</atem:parameter>',
  },
  {
    families: "Step 3",
    around: ["<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"],
    call: '<steptml:invoke name="NAME"> FIELDS </steptml:invoke>',
    field: '<steptml:parameter name="KEY">VALUE</steptml:parameter>',
  },
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

/** The signs around the thoughts of a model. The opening one may be missing: it then ends the prompt. */
export const thinkingSigns: readonly (readonly [opening: string, closing: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<reflection>", "</reflection>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
  ["◁think▷", "◁/think▷"],
  ["<seed:think>", "</seed:think>"],
  ["<mm:think>", "</mm:think>"],
  ["<longcat_think>", "</longcat_think>"],
  ["<ifm|think>", "</ifm|think>"],
  ["<ifm|think_fast>", "</ifm|think_fast>"],
  ["<ifm|think_faster>", "</ifm|think_faster>"],
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

/** The signs around an answer, which no person is meant to see. */
export const answerSigns: readonly string[] = [
  ...["[END FINAL RESPONSE]", "<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", ">>>all\n"],
  ...[
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|close|>message<|sep|>",
  ],
  ...["<|message_model|>", "<|content_text|>", "<|end_message|>", "<|content_model_end_sampling|>", "<|end_of_msg|>"],
];
