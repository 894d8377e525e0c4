import { InvalidOptionError } from "../base/errors.js";
import { countOption } from "../base/options.js";
import { shorten } from "../base/shorten.js";
import { messageName } from "../core/nodes/action-messages.js";
import type { AgentParts, PromptParts, RunParts } from "../core/parts/agent-parts.js";
import type { Models } from "../core/parts/models.js";
import type { Protocol } from "../core/parts/protocol.js";
import { metadataOf } from "../core/parts/tool-metadata.js";
import type { AgentTool, ToolOption } from "../core/parts/tools.js";
import { buffer, type Memory } from "../memory/index.js";
import { defaultMaxSteps } from "../middleware/limits/limit-values.js";
import { OutputFormat } from "../middleware/output/output-format.js";
import { rephrasing } from "../middleware/rephrasing.js";
import { isFunction, type RunView, runView, valueFor } from "../middleware/run-view.js";
import { grammarFields, withRequestFields } from "../model/constrained-decoding.js";
import { loadModel } from "../model/models.js";
import { namedModels } from "../model/named-models.js";
import { writePrompt } from "../prompts/write-prompt.js";
import type { ProtocolName } from "../protocols/names.js";
import { isFinishWord } from "../protocols/reading/label-words.js";
import { tokenPlaces } from "../protocols/reading/sections/special-tokens.js";
import { ToolNames } from "../protocols/reading/tool-names.js";
import { namesIn } from "../tool-inputs/parameters.js";
import { toolSpec } from "../tool-inputs/tool-spec.js";
import { agentProtocols, givenProtocols } from "./agent-protocols.js";
import { LearntRefusals } from "./learnt-refusals.js";
import { callLimits } from "./model-calls.js";
import {
  type AgentModel,
  type AgentOptions,
  checkAgentOptions,
  memorySchema,
  modelsSchema,
  protocolOptionSchema,
  textSchema,
  textsSchema,
  toolsSchema,
} from "./options.js";
import { pluginsOf } from "./plugins.js";
import { isAgentTool, providerTools } from "./provider-tools.js";
import { fixedLimits } from "./turn-limits.js";

/**
 * Makes the parts of an agent of its options. They are made anew in each run if an option depends on it.
 *
 * @throws InvalidOptionError when an option is wrong, or options do not fit together.
 */
export function assembleParts(options: AgentOptions): AgentParts | RunParts {
  checkAgentOptions(options);
  const { model, instructions = "", examples, tools, protocol, memory, output, limits, modelCalls } = options;
  const fixed = partsOf(options, knownShape(options));
  const isFixed = ![tools, protocol, memory, limits?.maxSteps].some(isFunction);
  if (modelCalls?.constrainedDecoding) {
    for (const [name, option] of Object.entries({ tools, protocol })) {
      if (isFunction(option)) throw new InvalidOptionError(name, grammarIsFixed);
    }
    if (output) throw new InvalidOptionError("output", grammarTakesAny);
  }
  const load = remembering(loadModel);
  const refusals = new LearntRefusals();
  const loaded = async (models: AgentModel | readonly AgentModel[]) =>
    namedModels(await Promise.all([models].flat().map((one) => (typeof one === "string" ? load(one) : one))));
  const whole = ({ models, prompt, ...parts }: FixedParts, { load, ...texts }: InRun): AgentParts => {
    return { ...parts, models: { ...models, load, refusals }, prompt: { ...prompt, ...texts } };
  };
  if (isFixed && !isFunction(model) && !isFunction(instructions) && !isFunction(examples)) {
    return whole(fixed, { load: () => loaded(model), instructions: () => instructions, examples: () => examples });
  }
  const at: RunParts["at"] = async (state, config) => {
    const view = runView(state, config);
    return whole(isFixed ? fixed : partsOf(options, await shapeFor(options, view)), {
      load: async () => loaded(await valueFor("model", model, view, modelsSchema)),
      instructions: () => valueFor("instructions", instructions, view, textSchema),
      examples: () => valueFor("examples", examples, view, textsSchema),
    });
  };
  return { ...fixed, at };
}

/** The parts of an agent that may be functions of the run. */
type InRun = Pick<Models, "load"> & Pick<PromptParts, "instructions" | "examples">;

/** The parts of an agent that its options name. */
type FixedParts = Omit<AgentParts, "models" | "prompt"> & {
  readonly models: Omit<Models, "load" | "refusals">;
  readonly prompt: Omit<PromptParts, "instructions" | "examples">;
};

const grammarTakesAny =
  "it is not possible together with modelCalls.constrainedDecoding, whose grammar accepts any answer; leave one of the two out.";
const grammarIsFixed =
  "a function is not possible together with modelCalls.constrainedDecoding, whose grammar is fixed; give a value.";

/** The options that may be functions of the run, and that other parts of an agent depend on. */
interface Shape {
  readonly tools: readonly ToolOption[];
  readonly protocol: ProtocolName | "auto" | Protocol;
  readonly memory: Memory;
  readonly maxSteps: number;
}

const defaults: Shape = { tools: [], protocol: "auto", memory: buffer(), maxSteps: defaultMaxSteps };

/** Returns what is known of the shape before any run. Functions have the defaults, and no limit. */
function knownShape({ tools, protocol, memory, limits: { maxSteps } = {} }: AgentOptions): Shape {
  return {
    tools: tools === undefined || isFunction(tools) ? defaults.tools : tools,
    protocol: protocol === undefined || isFunction(protocol) ? defaults.protocol : protocol,
    memory: memory === undefined || isFunction(memory) ? defaults.memory : memory,
    maxSteps: isFunction(maxSteps) ? Infinity : (maxSteps ?? defaults.maxSteps),
  };
}

async function shapeFor({ tools, protocol, memory, limits }: AgentOptions, view: RunView): Promise<Shape> {
  return {
    tools: await valueFor("tools", tools ?? defaults.tools, view, toolsSchema),
    protocol: await valueFor("protocol", protocol ?? defaults.protocol, view, protocolOptionSchema),
    memory: await valueFor("memory", memory ?? defaults.memory, view, memorySchema),
    maxSteps: await valueFor("limits.maxSteps", limits?.maxSteps ?? defaults.maxSteps, view, countOption),
  };
}

/** Makes the parts of an agent that its shape decides. */
function partsOf(options: AgentOptions, { tools: own, protocol, memory, maxSteps }: Shape): FixedParts {
  const { output, name, limits = {}, modelCalls = {}, middleware = [] } = options;
  const all = [...own, ...middleware.flatMap(({ tools = [] }) => tools)];
  const { constrainedDecoding: server } = modelCalls;
  const given = givenProtocols(protocol, server);
  const tools = all.filter(isAgentTool);
  const toolsByName = byName(tools, given.text);
  const specs = tools.map((tool) => {
    const { untrusted, fence } = metadataOf(tool);
    return { ...toolSpec(tool), ...(untrusted && { untrusted }), ...(!fence && { fence }) };
  });
  const format = output && new OutputFormat(output, toolsByName);
  const fields = server && grammarFields(server, given.text, specs);
  return {
    models: {
      named: (model) => namedModels([model]),
      ...(fields && { forReplies: (model) => withRequestFields(model, fields) }),
      limits: callLimits(modelCalls),
    },
    protocols: agentProtocols(given, format),
    prompt: {
      write: writePrompt,
      currentDate: options.currentDate ?? false,
      observationCharacters: limits.maxObservationCharacters,
      fence: options.fence ?? true,
    },
    tools: {
      byName: toolsByName,
      specs,
      ofProvider: providerTools(all, given.native ?? given.text, options.approve),
      keepsSteps: options.checkpointer !== false,
    },
    memory,
    rephrase: rephrasing(options.rephrase ?? "auto"),
    answers: { ...(name && { name: messageName(name) }) },
    plugins: pluginsOf(options, fixedLimits(maxSteps, limits), format),
  };
}

/** Makes a function that loads each name once. A name whose load failed is loaded again at the next call. */
function remembering<T>(load: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>();
  return (name) => {
    const known = loaded.get(name) ?? load(name);
    loaded.set(name, known);
    known.catch(() => loaded.delete(name));
    return known;
  };
}

/**
 * Returns the tools of an agent by name.
 *
 * @param protocol The text protocol of the agent. A tool must not have a name that ends a turn there, such as `Finish`.
 * @throws InvalidOptionError when two tools have one name, or a model cannot call the name.
 */
function byName(tools: readonly AgentTool[], protocol: Protocol): Map<string, AgentTool> {
  const named = new Map<string, AgentTool>();
  for (const tool of tools) {
    const problem = problemOf(tool.name, protocol);
    const name = JSON.stringify(tool.name);
    if (problem !== undefined)
      throw new InvalidOptionError("tools", `the tool name ${name} ${problem}; give it another name.`);
    const field = namesIn(toolSpec(tool).parameters).find(hasToken);
    if (field !== undefined) {
      const where = `the tool ${name} has a field named ${JSON.stringify(shorten(field, 100))}, which ${withToken}`;
      throw new InvalidOptionError("tools", `${where}; rename the field, or leave the tool out.`);
    }
    if (named.has(tool.name)) throw new InvalidOptionError("tools", `two tools are named "${tool.name}"; rename one.`);
    named.set(tool.name, tool);
  }
  return named;
}

const withToken = "has a token that models read as their own, such as <|im_end|>";

/** Tells whether a name contains a token of a chat template. Names are not fenced in prompts. */
function hasToken(name: string): boolean {
  return /[<[◁]/.test(name) && tokenPlaces(name, new ToolNames([])).length > 0;
}

function problemOf(name: unknown, { nativeTools = false }: Protocol): string | undefined {
  if (typeof name !== "string" || name.trim() === "") return "is empty";
  if (name !== name.trim()) return "begins or ends with a space";
  if (/\p{Cc}/u.test(name)) return "has a line break or another control character";
  if (hasToken(name)) return withToken;
  const endsTurn = !nativeTools && (isFinishWord(name) || name.toLowerCase() === "none");
  return endsTurn ? "is the protocols' own word for ending a turn" : undefined;
}
