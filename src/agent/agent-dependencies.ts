import { InvalidOptionError } from "../base/errors.js";
import { buffer } from "../memory/index.js";
import { namedModels } from "../model/calling/named-model.js";
import { defaultTimeouts } from "../model/calling/timeouts.js";
import { type DecodingServer, grammarFields } from "../model/constrained-decoding.js";
import { loadModel } from "../model/models.js";
import { protocolByName, protocols } from "../protocols/by-name.js";
import type { ProtocolName } from "../protocols/names.js";
import type { Protocol } from "../protocols/protocol.js";
import { type AgentTool, toolSpec } from "../tools/calling/tool-spec.js";
import { noJournal } from "../turn/action-journal.js";
import { defaultMaxSteps, defaultMaxUnreadable } from "./graph/limits.js";
import { openJournal } from "./nodes/acting/open-journal.js";
import { messageName } from "./nodes/action-messages.js";
import { approval } from "./nodes/approval-policy.js";
import type { AgentDependencies, AgentProtocols } from "./nodes/dependencies.js";
import { type AgentModel, type AgentOptions, checkAgentOptions } from "./options.js";
import { OutputFormat } from "./output/output-format.js";
import { outputProtocol } from "./output/output-protocol.js";
import type { OutputSchema } from "./output/output-schema.js";
import { byName } from "./tools-by-name.js";

export function agentDependencies(options: AgentOptions): AgentDependencies {
  checkAgentOptions(options);
  const {
    model,
    tools = [],
    protocol = "auto",
    constrainedDecoding,
    output,
    name,
    instructions,
    currentDate = false,
    approve = "never",
    rephrase = true,
    memory = buffer(),
    maxSteps = defaultMaxSteps,
    maxUnreadable = defaultMaxUnreadable,
    timeouts,
    maxRetries,
  } = options;
  const spoken = protocolsOf(protocol, constrainedDecoding);
  const toolsByName = byName(tools, spoken.text);
  const toolSpecs = tools.map(toolSpec);
  const format = output && outputFormat(output, toolsByName, constrainedDecoding);
  return {
    models: once(async () => namedModels(await Promise.all([model].flat().map(loaded)))),
    limits: { timeouts: { ...defaultTimeouts, ...timeouts }, maxRetries },
    protocols: format ? inFormat(spoken, format) : spoken,
    ...(format && { output: format }),
    tools: toolsByName,
    toolSpecs,
    ...(constrainedDecoding ? { requestFields: grammarFields(constrainedDecoding, spoken.text, toolSpecs) } : {}),
    memory,
    // An agent without a checkpointer keeps nothing of a run. A later run cannot ask for a record of it.
    openJournal: options.checkpointer === false ? async () => noJournal : openJournal,
    approve: approval(approve),
    rephrase,
    currentDate,
    maxSteps,
    maxUnreadable,
    ...(name ? { name: messageName(name) } : {}),
    ...(instructions ? { instructions } : {}),
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

function inFormat({ text, native }: AgentProtocols, format: OutputFormat): AgentProtocols {
  return { text: outputProtocol(text, format), ...(native && { native: outputProtocol(native, format) }) };
}

function protocolsOf(protocol: ProtocolName | "auto" | Protocol, server: DecodingServer | undefined): AgentProtocols {
  if (typeof protocol !== "string") return { text: protocol };
  if (protocol !== "auto") return { text: protocolByName(protocol) };
  if (server !== undefined) return { text: server === "openai" ? protocols["structured-chat"] : protocols.react };
  return { native: protocols["tool-calling"], text: protocols.react };
}

async function loaded(model: AgentModel): Promise<Exclude<AgentModel, string>> {
  return typeof model === "string" ? await loadModel(model) : model;
}

/** Makes a function that loads at the first call and remembers the result. It tries again after a load that failed. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
