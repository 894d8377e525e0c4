import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getUpdateTypeSchema,
} from "@langchain/langgraph/zod/schema";
import { attempted } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";

/** The forms of a graph as JSON schemas: what it takes, what it gives, its state, and the context of a run. */
interface GraphForms {
  readonly input: unknown;
  readonly output: unknown;
  readonly state: unknown;
  readonly context: unknown;
}

/** Returns the forms of a graph. A form is null if the graph has no schema for it that can be read. */
export function formsOf(graph: object): GraphForms {
  const read = (form: (graph: never) => unknown) => attempted(() => Reflect.apply(form, undefined, [graph])) ?? null;
  const state = asEntered(read(getUpdateTypeSchema) ?? stateForm(graph));
  return {
    state,
    input: asEntered(read(getInputTypeSchema)) ?? state,
    output: read(getOutputTypeSchema) ?? state,
    context: asEntered(read(getConfigTypeSchema)),
  };
}

/**
 * Returns a form as a person enters it: what has a default may be left out, and a number has bounds only if somebody chose them.
 * Zod writes a form of what comes out.
 */
function asEntered(form: unknown): unknown {
  if (Array.isArray(form)) return form.map(asEntered);
  if (!isRecord(form)) return form;
  const { properties, required } = form;
  const isNeeded = (name: unknown) => {
    const property = isRecord(properties) && typeof name === "string" ? properties[name] : undefined;
    return !(isRecord(property) && "default" in property);
  };
  const needed = Array.isArray(required) ? required.filter(isNeeded) : [];
  const kept = Object.entries(form).flatMap(([name, value]) => {
    const isBound = name === "maximum" || name === "minimum";
    if (name === "required" || (isBound && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)) return [];
    if (name !== "properties" || !isRecord(value)) return [[name, name === "default" ? value : asEntered(value)]];
    return [[name, Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asEntered(inner)]))]];
  });
  return Object.fromEntries(needed.length > 0 ? [...kept, ["required", needed]] : kept);
}

/** Returns the form of a `StateSchema`, which LangGraph keeps with the builder of a graph. */
function stateForm(graph: object): unknown {
  const builder: unknown = Reflect.get(graph, "builder");
  const schema: unknown = isRecord(builder) ? builder._schemaRuntimeDefinition : undefined;
  const form: unknown = isRecord(schema) ? Reflect.get(schema, "getJsonSchema") : undefined;
  return typeof form === "function" ? Reflect.apply(form, schema, []) : null;
}
