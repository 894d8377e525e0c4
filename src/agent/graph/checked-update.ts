import { Overwrite, ReducedValue, type StateSchemaFields } from "@langchain/langgraph";

/** The fields of a state, such as those of a `StateSchema`. */
export interface State {
  readonly fields: StateSchemaFields;
}

/** Returns the values of an update for the channels. It returns undefined for an update that it cannot judge. */
export type UpdateChecker = (update: Readonly<Record<string, unknown>>) => [string, unknown][] | undefined;

/**
 * Makes the function that checks an update of a state as LangGraph does. LangGraph waits for each value several times. This
 * takes a twentieth of the time of a step. An update with something wrong or unusual is left to it.
 */
export function updateChecker({ fields }: State): UpdateChecker {
  const schemas = new Map(Object.entries(fields).map(([channel, field]) => [channel, schemaOf(field)]));
  return (update) => {
    const values: [string, unknown][] = [];
    for (const [channel, value] of Object.entries(update)) {
      const checked = Overwrite.isInstance(value) ? undefined : schemas.get(channel)?.["~standard"].validate(value);
      if (checked === undefined || checked instanceof Promise || checked.issues) return undefined;
      values.push([channel, checked.value]);
    }
    return values;
  };
}

function schemaOf(field: StateSchemaFields[string]) {
  if (ReducedValue.isInstance(field)) return field.inputSchema;
  return "~standard" in field ? field : undefined;
}
