import { type Database, numberOf, rowsOf, textOf } from "../databases/database.js";

/** Finds the first checkpoint of a thread that has the reply or the quiet call with an id; undefined if it is not kept. */
export async function readCallPlace(database: Database, thread: string, call: string): Promise<string | undefined> {
  // As a part of a pattern an underscore stands for any character: the id is drawn, so that finds no other.
  const versions = await database.all(versionQuery, [thread, `%"id":${JSON.stringify(call)}%`]);
  const numbers = rowsOf(versions.map((row) => [String(numberOf(row, "version"))]));
  const [first] = await database.all(checkpointQuery, [thread, numbers]);
  return first && textOf(first, "id");
}

// A body is a value, or it names items, those that a list got last.
const versionQuery = `with found as materialized (
    select hash from glassloop_items where thread = $1 and content like $2)
  select version from glassloop_versions v where thread = $1 and namespace = ''
    and channel in ('reply', 'intermediateSteps', 'quietCalls')
    and (body like $2 or exists (select 1 from found where v.body like '%' || found.hash || '%'))`;

const checkpointQuery = `select id from glassloop_checkpoints c where thread = $1 and namespace = '' and exists (
    select 1 from json_array_elements($2) wanted where c.body like '%' || (wanted.value ->> 0) || '%')
  order by sequence limit 1`;
