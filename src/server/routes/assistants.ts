import { Hono } from "hono";
import { z } from "zod";
import { formsOf } from "../../langgraph/graph-forms.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { assistantForm } from "../wire/assistant-form.js";
import { answer, bodyOf, flag, queryOf } from "../wire/http-json.js";

const filter = z.object({
  graph_id: z.string().nullish(),
  name: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
const search = filter.extend({
  limit: z.int().min(1).max(1000).default(10),
  offset: z.int().min(0).default(0),
  sort_by: z.enum(["assistant_id", "graph_id", "name", "created_at", "updated_at"]).nullish(),
  sort_order: z.enum(["asc", "desc"]).nullish(),
  select: z.array(z.string()).nullish(),
});

/** Makes the routes of assistants. Each graph has one. They come from code: all may read them, and nobody can change them. */
export function assistantRoutes({ graphs }: ServerParts): Hono<ServerEnv> {
  const since = new Date().toISOString();

  function found({ graph_id, name, metadata }: z.output<typeof filter>) {
    return graphs.names
      .filter((graph) => (graph_id ?? graph) === graph && graph.toLowerCase().includes(name?.toLowerCase() ?? ""))
      .map((graph) => assistantForm(graph, since))
      .filter((assistant) =>
        Object.entries(metadata ?? {}).every(
          ([key, value]) => key === "created_by" && value === assistant.metadata.created_by,
        ),
      );
  }

  return new Hono<ServerEnv>()
    .post("/assistants/search", async (context) => {
      const { limit, offset, select, sort_by, sort_order, ...wanted } = await bodyOf(context, search);
      const all = found(wanted).sort((one, other) => {
        const [a, b] = [one[sort_by ?? "name"], other[sort_by ?? "name"]];
        return (sort_order === "desc" ? -1 : 1) * a.localeCompare(b);
      });
      const page = all.slice(offset, offset + limit);
      context.header("X-Pagination-Total", String(all.length));
      if (offset + page.length < all.length) context.header("X-Pagination-Next", String(offset + page.length));
      const fields = (assistant: object) =>
        Object.entries(assistant).filter(([name]) => select?.includes(name) ?? true);
      return answer(
        context,
        page.map((assistant) => Object.fromEntries(fields(assistant))),
      );
    })
    .post("/assistants/count", async (context) => answer(context, found(await bodyOf(context, filter)).length))
    .get("/assistants/:assistant", (context) => {
      return answer(context, assistantForm(graphs.find(context.req.param().assistant).name, since));
    })
    .get("/assistants/:assistant/graph", async (context) => {
      const { graph } = graphs.find(context.req.param().assistant);
      const { xray } = queryOf(context, z.object({ xray: z.union([flag, z.coerce.number().int()]).optional() }));
      const drawn = await graph.getGraphAsync(xray === undefined ? {} : { xray });
      return answer(context, drawn.toJSON());
    })
    .get("/assistants/:assistant/schemas", (context) => {
      const { name, graph } = graphs.find(context.req.param().assistant);
      const { input, output, state, context: settings } = formsOf(graph);
      return answer(context, {
        graph_id: name,
        input_schema: input,
        output_schema: output,
        state_schema: state,
        config_schema: settings,
        context_schema: settings,
      });
    })
    .on("GET", ["/assistants/:assistant/subgraphs", "/assistants/:assistant/subgraphs/:namespace"], async (context) => {
      const { assistant, namespace } = context.req.param();
      const { recurse } = queryOf(context, z.object({ recurse: flag.default(false) }));
      const subgraphs: Record<string, unknown> = {};
      for await (const [name, graph] of graphs.find(assistant ?? "").graph.getSubgraphsAsync(namespace, recurse)) {
        const { input, output, state, context: config } = formsOf(graph);
        subgraphs[name] = { input, output, state, config };
      }
      return answer(context, subgraphs);
    });
}
