import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getUpdateTypeSchema,
} from "@langchain/langgraph/zod/schema";
import { attempted } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";

/** The forms of a graph as JSON schemas: what it takes, what it gives, its state, and the context of a run. */
export interface GraphForms {
  readonly input: unknown;
  readonly output: unknown;
  readonly state: unknown;
  readonly context: unknown;
}

/** Returns the forms of a graph. A form is null if the graph has no schema for it that can be read. */
export function formsOf(graph: object): GraphForms {
  const read = (form: (graph: never) => unknown) => attempted(() => Reflect.apply(form, undefined, [graph])) ?? null;
  const state = read(getUpdateTypeSchema) ?? stateForm(graph);
  return {
    state,
    input: read(getInputTypeSchema) ?? state,
    output: read(getOutputTypeSchema) ?? state,
    context: read(getConfigTypeSchema),
  };
}

/** Returns the form of a `StateSchema`, which LangGraph keeps with the builder of a graph. */
function stateForm(graph: object): unknown {
  const builder: unknown = Reflect.get(graph, "builder");
  const schema: unknown = isRecord(builder) ? builder._schemaRuntimeDefinition : undefined;
  const form: unknown = isRecord(schema) ? Reflect.get(schema, "getJsonSchema") : undefined;
  return typeof form === "function" ? Reflect.apply(form, schema, []) : null;
}
