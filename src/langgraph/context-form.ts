import type { StateSchema, StateSchemaFields } from "@langchain/langgraph";

/**
 * Returns a state schema with which the LangGraph server shows a form for the context of a run, and Studio with it. The
 * server leaves that form out for a schema in which it finds the method `getJsonSchema`. Here it does not find the method.
 * It then asks LangGraph for the forms of the input, the state and the context. For LangGraph the schema stays what it is.
 */
export function withContextForm<Fields extends StateSchemaFields>(schema: StateSchema<Fields>): StateSchema<Fields> {
  return new Proxy(schema, { has: (target, name) => name !== "getJsonSchema" && Reflect.has(target, name) });
}
