import type { RunnableConfig } from "@langchain/core/runnables";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { promptOfCall, promptsByStep } from "../../agent/prompts/prompt-of.js";
import type { NodeName } from "../../core/nodes/node-names.js";
import type { Agent } from "../../graph/agent.js";
import { isGuarded } from "../../langgraph/guarded-graph.js";
import { reopenTurn } from "../../turns/continue-turn.js";
import { rewind } from "../../turns/go-back.js";
import { demand } from "../access/rights.js";
import type { ServedGraph } from "../engine/served-graph.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { longAnswer, MOST_OF_ONE_TEXT, partQuery } from "../wire/bounded.js";
import { answer, bodyOf, queryOf } from "../wire/http-json.js";
import { listAnswer, mostBytes, Page } from "../wire/page.js";
import { RequestError } from "../wire/request-error.js";
import { checkpointForm } from "../wire/state-form.js";
import { wireJson } from "../wire/wire-json.js";
import { judgedPlace } from "./judge-run.js";
import { loneCall } from "./lone-call.js";
import { orderOf, runBody } from "./run-body.js";
import { runForm } from "./run-form.js";
import { runPath } from "./runs.js";

/** A run that goes on with the last turn has no input of its own, and its thread says which graph it is of. */
const againBody = runBody.omit({
  assistant_id: true,
  input: true,
  command: true,
  checkpoint: true,
  checkpoint_id: true,
});
const editBody = againBody.extend({ question: z.string() });
const callBody = againBody
  .omit({ multitask_strategy: true })
  .extend({ tool: z.string(), input: z.record(z.string(), z.unknown()) });

const promptsQuery = z.object({
  checkpoint: z.guid().optional(),
  limit: z.coerce.number().int().min(1).max(1000).optional(),
});
const tooManyPrompts = `The prompts of this thread have more than ${mostBytes.list} bytes: ask for pages, such as ?limit=10.`;
const promptQuery = partQuery.extend({
  call: z.string().regex(/^[\w-]{1,100}$/),
  checkpoint: z.guid().optional(),
});

/** A thread of an agent that the sender may see. */
interface AgentThread {
  readonly thread: string;
  readonly graph: string;
  readonly agent: Agent;
}

/**
 * Makes the routes that LangGraph's protocol does not have, under `/glassloop/`: what an agent of Glassloop does beyond a graph.
 */
export function ownRoutes({ engine, graphs, threads, clientSettings }: ServerParts): Hono<ServerEnv> {
  /** @throws RequestError 404 */
  async function find(context: Context<ServerEnv>): Promise<AgentThread> {
    const { thread = "" } = context.req.param();
    const found = graphs.ofThread(await threads.get(thread, context.get("owner")));
    if (found !== undefined && isAgent(found.graph)) return { thread, graph: found.name, agent: found.graph };
    throw new RequestError(404, `No agent of Glassloop has answered on the thread "${thread}" yet.`);
  }

  /** Starts a run on the last turn. @param begin Returns where the run begins. It may change the thread: the body is right. */
  async function runAgain(
    context: Context<ServerEnv>,
    { thread, graph, agent }: AgentThread,
    body: z.output<typeof againBody>,
    begin: () => Promise<RunnableConfig>,
  ): Promise<Response> {
    const place = { thread, graph, owner: context.get("owner"), temporary: false };
    const caller = context.get("caller");
    const allowed = await judgedPlace({ ...body, assistant_id: graph }, caller, agent, thread);
    const order = orderOf(allowed, place, clientSettings, caller);
    const { configurable } = await begin();
    const { config } = order.given;
    const given = {
      ...order.given,
      config: { ...config, configurable: { ...Object(config?.configurable), ...configurable } },
    };
    const run = await engine.enqueue({ ...order, given });
    const path = runPath(thread, run.id);
    return answer(context, runForm(run), 200, { "Content-Location": path, Location: `${path}/stream` });
  }

  return new Hono<ServerEnv>()
    .get("/glassloop/threads/:thread/prompt", async (context) => {
      const { agent, thread } = await find(context);
      const { call, checkpoint, ...wanted } = queryOf(context, promptQuery);
      const place = checkpoint ?? (await threads.checkpointOf(thread, context.get("owner"), call));
      const prompt = place && (await promptOfCall(agent, thread, call, place));
      if (!prompt) throw new RequestError(404, `No checkpoint that is kept has the call "${call}" with its prompt.`);
      const { messages, ...head } = prompt;
      const list = { head, name: "messages", items: messages, mostCharacters: MOST_OF_ONE_TEXT };
      return longAnswer(context, list, { ...wanted, from: wanted.from ?? (wanted.part ? 0 : prompt.same) });
    })
    .get("/glassloop/threads/:thread/prompts", async (context) => {
      const { agent, thread } = await find(context);
      const { checkpoint, limit } = queryOf(context, promptsQuery);
      const page = new Page<string>(limit ?? Number.POSITIVE_INFINITY, mostBytes.list);
      for await (const { prompts, before } of promptsByStep(agent, thread, checkpoint)) {
        const json = prompts.map(wireJson).join(",");
        if (!page.add(json, Buffer.byteLength(json) + 1)) break;
        page.next = checkpointForm(before)?.checkpoint_id;
      }
      if (page.isCut && limit === undefined) throw new RequestError(413, tooManyPrompts);
      return listAnswer(context, page, "reversed");
    })
    .get("/glassloop/threads/:thread/statistics", async (context) => {
      const { thread } = context.req.param();
      return answer(context, await threads.stats(thread, context.get("owner")));
    })
    .post("/glassloop/threads/:thread/regenerate", async (context) => {
      const found = await find(context);
      const body = await bodyOf(context, againBody);
      return runAgain(context, found, body, () => rewind(found.agent, found.thread));
    })
    .post("/glassloop/threads/:thread/edit", async (context) => {
      const found = await find(context);
      const { question, ...body } = await bodyOf(context, editBody);
      return runAgain(context, found, body, () => rewind(found.agent, found.thread, { question }));
    })
    .post("/glassloop/threads/:thread/continue", async (context) => {
      const found = await find(context);
      const body = await bodyOf(context, againBody);
      return runAgain(context, found, body, () => reopenTurn(found.agent, found.thread));
    })
    .post("/glassloop/threads/:thread/call", async (context) => {
      demand(context.get("caller"), "decide");
      const { agent, ...found } = await find(context);
      const { tool, input, ...body } = await bodyOf(context, callBody);
      const at = { configurable: { thread_id: found.thread } };
      return runAgain(context, { ...found, agent }, body, async () => {
        const update = loneCall(await agent.getState(at), { tool, input });
        await agent.updateState(at, update, "parse" satisfies NodeName);
        return at;
      });
    });
}

function isAgent(graph: ServedGraph): graph is ServedGraph & Agent {
  return isGuarded(graph);
}
