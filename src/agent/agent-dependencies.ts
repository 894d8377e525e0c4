import { InvalidOptionError } from "../base/errors.js";
import { countOption } from "../base/options.js";
import { defaultMaxSteps } from "../core/limits/recursion-limit.js";
import { fixedLimits } from "../core/limits/turn-limits.js";
import { namedModels } from "../core/model/named-model.js";
import { fixedTimeouts } from "../core/model/timeouts.js";
import { messageName } from "../core/nodes/action-messages.js";
import { approval } from "../core/nodes/approval-policy.js";
import type { AgentAt, AgentDependencies, FixedParts } from "../core/nodes/dependencies.js";
import type { Protocol } from "../core/parts/protocol.js";
import { isFunction, type RunView, runView, valueFor } from "../core/run/run-view.js";
import { isUntrusted } from "../core/tools/marks.js";
import { type AgentTool, toolSpec } from "../core/tools/tool-spec.js";
import { buffer, type Memory } from "../memory/index.js";
import { type DecodingServer, grammarFields } from "../model/constrained-decoding.js";
import { loadModel } from "../model/models.js";
import type { ProtocolName } from "../protocols/names.js";
import { isFinishWord } from "../protocols/reading/label-words.js";
import { agentProtocols, givenProtocols } from "./agent-protocols.js";
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
import { OutputFormat } from "./output/output-format.js";
import type { OutputSchema } from "./output/output-schema.js";

/**
 * Makes the parts of an agent. `dependencies` is a function that gives them to each node if an option depends on the run.
 *
 * @throws InvalidOptionError when an option is wrong, or options do not fit together.
 */
export function agentOf(options: AgentOptions): {
  readonly fixed: FixedParts;
  readonly dependencies: AgentDependencies | AgentAt;
} {
  checkAgentOptions(options);
  const { model, instructions = "", examples, tools, protocol, memory, maxSteps } = options;
  const fixed = agentParts(options, knownShape(options));
  const isFixed = ![tools, protocol, memory, maxSteps].some(isFunction);
  for (const [name, option] of Object.entries({ tools, protocol })) {
    if (isFunction(option) && options.constrainedDecoding) throw new InvalidOptionError(name, grammarIsFixed);
  }
  const load = remembering(loadModel);
  const loaded = async (models: AgentModel | readonly AgentModel[]) =>
    namedModels(await Promise.all([models].flat().map((one) => (typeof one === "string" ? load(one) : one))));
  if (isFixed && !isFunction(model) && !isFunction(instructions) && !isFunction(examples)) {
    const run = { models: () => loaded(model), instructions: () => instructions, examples: () => examples };
    return { fixed, dependencies: { ...fixed, ...run } };
  }
  const dependencies: AgentAt = async (state, config) => {
    const view = runView(state, config);
    const parts = isFixed ? fixed : agentParts(options, await shapeFor(options, view));
    return {
      ...parts,
      models: async () => loaded(await valueFor("model", model, view, modelsSchema)),
      instructions: () => valueFor("instructions", instructions, view, textSchema),
      examples: () => valueFor("examples", examples, view, textsSchema),
    };
  };
  return { fixed, dependencies };
}

const grammarIsFixed =
  "a function is not possible together with constrainedDecoding, whose grammar is fixed; give a value.";

/** The options that may be functions of the run, and that other parts of an agent depend on. */
interface Shape {
  readonly tools: readonly AgentTool[];
  readonly protocol: ProtocolName | "auto" | Protocol;
  readonly memory: Memory;
  readonly maxSteps: number;
}

const defaults: Shape = { tools: [], protocol: "auto", memory: buffer(), maxSteps: defaultMaxSteps };

/** Returns what is known of the shape before any run. Functions have the defaults. */
function knownShape({ tools, protocol, memory, maxSteps }: AgentOptions): Shape {
  return {
    tools: tools === undefined || isFunction(tools) ? defaults.tools : tools,
    protocol: protocol === undefined || isFunction(protocol) ? defaults.protocol : protocol,
    memory: memory === undefined || isFunction(memory) ? defaults.memory : memory,
    maxSteps: maxSteps === undefined || isFunction(maxSteps) ? defaults.maxSteps : maxSteps,
  };
}

async function shapeFor(options: AgentOptions, view: RunView): Promise<Shape> {
  const { tools, protocol, memory, maxSteps } = options;
  return {
    tools: await valueFor("tools", tools ?? defaults.tools, view, toolsSchema),
    protocol: await valueFor("protocol", protocol ?? defaults.protocol, view, protocolOptionSchema),
    memory: await valueFor("memory", memory ?? defaults.memory, view, memorySchema),
    maxSteps: await valueFor("maxSteps", maxSteps ?? defaults.maxSteps, view, countOption),
  };
}

/** Makes the parts of an agent that its shape decides. */
function agentParts(options: AgentOptions, { tools, protocol, memory, maxSteps }: Shape): FixedParts {
  const {
    constrainedDecoding,
    output,
    name,
    currentDate = false,
    maxObservationCharacters = 50_000,
    taint = "ignore",
    approve = "never",
    rephrase = true,
    timeouts,
    maxRetries,
    contextTokens,
    hooks = {},
  } = options;
  const given = givenProtocols(protocol, constrainedDecoding);
  const toolsByName = byName(tools, given.text);
  const toolSpecs = tools.map((tool) => (isUntrusted(tool) ? { ...toolSpec(tool), untrusted: true } : toolSpec(tool)));
  const format = output && outputFormat(output, toolsByName, constrainedDecoding);
  return {
    limits: { timeouts: fixedTimeouts(timeouts), maxRetries, contextTokens },
    protocols: agentProtocols(given, format),
    ...(format && { output: format }),
    tools: toolsByName,
    toolSpecs,
    ...(constrainedDecoding ? { requestFields: grammarFields(constrainedDecoding, given.text, toolSpecs) } : {}),
    memory,
    keepsSteps: options.checkpointer !== false,
    approve: approval(approve, taint === "approve" ? toolsByName : undefined),
    rephrase,
    currentDate,
    maxObservationCharacters,
    turnLimits: fixedLimits(maxSteps, options),
    ...(name ? { name: messageName(name) } : {}),
    hooks,
  };
}

function outputFormat(
  output: OutputSchema,
  tools: ReadonlyMap<string, AgentTool>,
  server: DecodingServer | undefined,
): OutputFormat {
  if (server === undefined) return new OutputFormat(output, tools);
  throw new InvalidOptionError(
    "output",
    "it is not possible together with constrainedDecoding, whose grammar takes any answer; leave one of the two out.",
  );
}

/** Makes a function that loads each name once. It tries again after a load that failed. */
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
    if (problem !== undefined) {
      const name = JSON.stringify(tool.name);
      throw new InvalidOptionError("tools", `the tool name ${name} ${problem}; give it another name.`);
    }
    if (named.has(tool.name)) throw new InvalidOptionError("tools", `two tools are named "${tool.name}"; rename one.`);
    named.set(tool.name, tool);
  }
  return named;
}

function problemOf(name: unknown, { nativeTools = false }: Protocol): string | undefined {
  if (typeof name !== "string" || name.trim() === "") return "is empty";
  if (name !== name.trim()) return "begins or ends with a space";
  if (/\p{Cc}/u.test(name)) return "has a line break or another control character";
  const endsTurn = !nativeTools && (isFinishWord(name) || name.toLowerCase() === "none");
  return endsTurn ? "is the protocols' own word for ending a turn" : undefined;
}
