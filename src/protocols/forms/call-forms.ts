/** A form in which families of models write a call as text. */
export interface CallForm {
  /** The families of models with this form. */
  readonly families: string;
  /** The signs before and after all calls of a reply. */
  readonly around?: readonly [opening: string, closing: string];
  /** One call. */
  readonly call: string;
  /** One argument, if each has signs of its own. */
  readonly field?: string;
  /** True if other texts have the signs, too. The form then counts only for a tool that is offered. */
  readonly weak?: boolean;
}

/** Tags of Claude, with the prefix of a family. Some families say in an attribute whether a value is a text. */
const invoked = (prefix: string, type = "") =>
  `<${prefix}invoke name="NAME"> FIELDS </${prefix}invoke> :: <${prefix}parameter name="KEY"${type}>VALUE</${prefix}parameter>`;
const isText = ' string="TYPE"';
const functionTag = "<function=NAME> FIELDS </function> :: <parameter=KEY>VALUE</parameter>";
const keyAndJson = "<arg_key>KEY</arg_key> <arg_value>JSON</arg_value>";

/**
 * A row has the families, the signs around all calls, one call, and one argument if each has signs of its own. A new family is a new
 * row. `~` before the families makes a form weak.
 *
 * Words in capitals are gaps:
 *
 * - `NAME`: the name of the tool. `ID`: a number or an id, which is not read. `SIGNS`: other signs of the family.
 * - `CALLS`: JSON with names and arguments: an object, a list, or several objects.
 * - `CODE`: calls in Python, such as `f(a="x")`, in a list or on lines of their own.
 * - `ARGUMENTS`: a JSON object. `FIELDS`: fields in a row. `WORDS`: text for a tool with one argument.
 * - `KEY`, `VALUE`: one argument, and `JSON` one that is JSON if the schema does not say. `TYPE`: `true` or `string` for a text, any other
 *   word for JSON.
 *
 * White space in a form stands for any white space, also none. In a reply signs may be missing at its end. Values are typed by the
 * schema of the tool.
 */
const rows = [
  // JSON with the name in it
  "Hermes, Qwen 2.5, Qwen 3, Granite 4, ERNIE 4.5, Reka Edge, xLAM :: <tool_call> … </tool_call> :: CALLS",
  "Qwen 2.5 Coder :: <tools> … </tools> :: CALLS",
  "LM Studio for other models :: [TOOL_REQUEST] … [END_TOOL_REQUEST] :: CALLS",
  "Glaive :: <functioncall> … </functioncall> :: CALLS",
  "LongCat :: <longcat_tool_call> … </longcat_tool_call> :: CALLS",
  "Hunyuan A13B, Jamba, Apriel, MiniMax M1 :: <tool_calls> … </tool_calls> :: CALLS",
  "Nemotron :: <TOOLCALL> … </TOOLCALL> :: CALLS",
  "Granite 3 :: <|tool_call|> … :: CALLS",
  "Granite 20B :: <function_call> … </function_call> :: CALLS",
  "InternLM 2 :: <|action_start|> <|plugin|> … <|action_end|> :: CALLS",
  "~Phi 4 mini, FireFunction 2 :: functools … :: CALLS",
  "Mistral, xLAM :: [TOOL_CALLS] … [/TOOL_CALLS] :: CALLS",
  "Llama 3 :: <|python_tag|> … :: CALLS",
  "Pangu :: <|tool_call_start|> … <|tool_call_end|> :: CALLS",
  "Pangu without its names :: [unused11] … [unused12] :: CALLS",
  "Inkling :: <|content_invoke_tool_json|> … <|end_message|> :: CALLS",
  "Apertus :: <|tools_prefix|> … <|tools_suffix|> :: CALLS",
  "Command R7B, Command A :: <|START_ACTION|> … <|END_ACTION|> :: CALLS",
  "GigaChat 3 :: function call<|role_sep|> … :: CALLS",
  "GigaChat 3.1 :: <|function_call|> … :: CALLS",
  // The name before JSON
  "Kimi K2 :: <|tool_calls_section_begin|> … <|tool_calls_section_end|> :: <|tool_call_begin|> NAME:ID <|tool_call_argument_begin|> ARGUMENTS <|tool_call_end|>",
  "~Kimi K2 without its tokens :: :: functions.NAME:ID ARGUMENTS",
  "DeepSeek V3, R1 :: <｜tool▁calls▁begin｜> … <｜tool▁calls▁end｜> :: <｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME ARGUMENTS <｜tool▁call▁end｜>",
  "DeepSeek V3.1 :: <｜tool▁calls▁begin｜> … <｜tool▁calls▁end｜> :: <｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>",
  "Mistral since 11 :: [TOOL_CALLS] … :: NAME[ARGS]ARGUMENTS",
  "Mistral Small 3.2 :: [TOOL_CALLS] … :: NAME[CALL_ID]ID[ARGS]ARGUMENTS",
  "Llama 3.1, Functionary 3.1 :: :: <function=NAME>ARGUMENTS</function>",
  "~Functionary 3.2 :: :: >>>NAME ARGUMENTS",
  "gpt-oss :: :: to=functions.NAME SIGNS<|message|>ARGUMENTS<|call|>",
  "~gpt-oss without its tokens :: :: to=functions.NAME SIGNS json ARGUMENTS",
  "Solar Open :: :: <|tool_call:begin|>ID<|tool_call:name|>NAME<|tool_call:args|>ARGUMENTS<|tool_call:end|>",
  "GLM 5.3 Flash :: :: <![NAME>ARGUMENTS",
  "MiroThinker :: :: <use_mcp_tool> <server_name>ID</server_name> <tool_name>NAME</tool_name> <arguments> ARGUMENTS </arguments> </use_mcp_tool>",
  "PLaMo 3 :: <|plamo:begin_tool_requests:plamo|> … <|plamo:end_tool_requests:plamo|> :: <|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>NAME<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>SIGNS ARGUMENTS<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
  "FunctionGemma :: <start_function_call> … <end_function_call> :: call:NAME ARGUMENTS",
  "Gemma 4 :: <|tool_call> … <tool_call|> :: call:NAME ARGUMENTS",
  // Each argument in signs of its own
  `Qwen 3 Coder, Qwen 3.5, Nemotron 3 Nano, Step 3.5 :: <tool_call> … </tool_call> :: ${functionTag}`,
  `Seed-OSS :: <seed:tool_call> … </seed:tool_call> :: ${functionTag}`,
  `GLM 4.5 to 5, HyperCLOVA X :: <tool_call> … </tool_call> :: NAME FIELDS :: ${keyAndJson}`,
  `Hunyuan 3 :: <tool_calls> … </tool_calls> :: <tool_call>NAME<tool_sep> FIELDS </tool_call> :: ${keyAndJson}`,
  `IQuest Coder :: <iquestcoder_tool_call> … </iquestcoder_tool_call> :: NAME FIELDS :: ${keyAndJson}`,
  `IQuest Q1 :: <iquest_tool_call> … </iquest_tool_call> :: NAME FIELDS :: ${keyAndJson}`,
  "TeleChat 4, Xing 4 :: <tool_call> … </tool_call> :: NAME FIELDS :: <param_key>KEY</param_key> <param_value>VALUE</param_value>",
  "K2 Horizon :: <ifm|tool_call> … </ifm|tool_call> :: NAME FIELDS :: <ifm|arg_key>KEY</ifm|arg_key> SIGNS <ifm|arg_value>JSON</ifm|arg_value>",
  "K2 Horizon with JSON :: <ifm|tool_calls> … </ifm|tool_calls> :: CALLS",
  'Kimi K3 :: <|open|>tools<|sep|> … <|close|>tools<|sep|> :: <|open|>call tool="NAME" index="ID"<|sep|> FIELDS <|close|>call<|sep|> :: <|open|>argument key="KEY" type="TYPE"<|sep|>VALUE<|close|>argument<|sep|>',
  `MiniMax M2 :: <minimax:tool_call> … </minimax:tool_call> :: ${invoked("")}`,
  'MiniMax M3 :: ]<]minimax[>[<tool_call> … ]<]minimax[>[</tool_call> :: ]<]minimax[>[<invoke name="NAME"> FIELDS ]<]minimax[>[</invoke> :: ]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>',
  `dots :: <dots_function_call> … </dots_function_call> :: ${invoked("")}`,
  `Claude as text :: <function_calls> … </function_calls> :: ${invoked("")}`,
  `DeepSeek V3.2 :: <｜DSML｜function_calls> … </｜DSML｜function_calls> :: ${invoked("｜DSML｜", isText)}`,
  `DeepSeek V4 :: <｜DSML｜tool_calls> … </｜DSML｜tool_calls> :: ${invoked("｜DSML｜", isText)}`,
  `DeepSeek V4.1 :: <｜DSML｜ calls> … </｜DSML｜ calls> :: ${invoked("｜DSML｜ ", isText)}`,
  `GigaChat 3.5 :: <｜GCML｜tool_calls> … </｜GCML｜tool_calls> :: ${invoked("｜GCML｜", isText)}`,
  `Muse Glimmer :: <atem:function_calls> … </atem:function_calls> :: ${invoked("atem:")}`,
  `Step 3 :: <｜tool_calls_begin｜> … <｜tool_calls_end｜> :: ${invoked("steptml:")}`,
  "Solar Open 2 :: :: <|tool_call:start|>NAME FIELDS <|tool_call:end|> :: <|tool_arg:start|>KEY<|tool_arg:value|>VALUE<|tool_arg:end|>",
  'MiniCPM 5 :: :: <function name="NAME"> FIELDS </function> :: <param name="KEY">VALUE</param>',
  // Python
  "Llama 4 :: <|python_start|> … <|python_end|> :: CODE",
  "LFM 2 :: <|tool_call_start|> … <|tool_call_end|> :: CODE",
  "OLMo 3 :: <function_calls> … </function_calls> :: CODE",
  // Words
  "CWM :: :: <tool: function> NAME WORDS </tool>",
  "LangChain's XML agent :: :: <tool>NAME</tool> <tool_input>WORDS</tool_input>",
  "Claude 2 as text :: <function_calls> … </function_calls> :: <invoke> <tool_name>NAME</tool_name> <parameters> WORDS </parameters> </invoke>",
  "Tags for name and arguments :: :: <tool_name>NAME</tool_name> <arguments>WORDS</arguments>",
  "~Tags with the name of a tool :: :: <NAME> WORDS </NAME>",
];

/** The forms in which families of models write a call as text. */
export const callForms: readonly CallForm[] = rows.map((row): CallForm => {
  const [families = "", around = "", call = "", field = ""] = row.split(/ ::(?= |$)/).map((part) => part.trim());
  const [opening, closing = ""] = around.split(/ …(?: |$)/);
  return {
    families: families.replace(/^~/, ""),
    ...(opening && { around: [opening, closing] }),
    call,
    ...(field && { field }),
    weak: families.startsWith("~"),
  };
});

/** The tokens before and after a text in `ARGUMENTS`, in the place of quotes, by the families that write them. */
export const quoteTokens: Readonly<Record<string, string>> = { FunctionGemma: "<escape>", "Gemma 4": '<|"|>' };

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

/** The signs around thoughts, in a row. */
export const thinkingTokens: readonly string[] = thinkingSigns.flat().filter(Boolean);

const answerTokens =
  "content_model_end_sampling CHATBOT_TOKEN START_RESPONSE END_RESPONSE START_TEXT END_TEXT message_model content_text end_message end_of_msg";

/** The signs around an answer, which no person is meant to see. */
export const answerSigns: readonly string[] = [
  ...["[END FINAL RESPONSE]", ">>>all\n"],
  ...["open|>response", "close|>response", "close|>message"].map((sign) => `<|${sign}<|sep|>`),
  ...answerTokens.split(" ").map((name) => `<|${name}|>`),
];
