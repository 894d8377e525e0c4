import type { StateSchema, StateSchemaFields } from "@langchain/langgraph";

/**
 * Returns a state schema with which the LangGraph server shows a form for the context of a run, and Studio with it. If
 * `"getJsonSchema" in schema` is true, the server leaves the form of the context out. Through this proxy the test is false,
 * and the server asks LangGraph for the forms of input, state and context. Nothing else changes: reading or calling
 * `schema.getJsonSchema` works as before.
 */
export function withContextForm<Fields extends StateSchemaFields>(schema: StateSchema<Fields>): StateSchema<Fields> {
  return new Proxy(schema, { has: (target, name) => name !== "getJsonSchema" && Reflect.has(target, name) });
}
