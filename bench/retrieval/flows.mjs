// Each flow from documents to an answer, and LangChain's chains, on the same documents, questions and model.
import { ConversationalRetrievalQAChain, RetrievalQAChain } from "@langchain/classic/chains";
import { BufferMemory } from "@langchain/classic/memory";
import { documents } from "../../dist/documents/index.js";
import { createRetrievalAgent, openThreads } from "../../dist/index.js";
import { ReaderModel } from "./reader.mjs";

const flows = {
  stuff: {},
  "map-reduce": { combine: "map-reduce" },
  refine: { combine: "refine" },
  "map-rerank": { combine: "map-rerank" },
  "multi-query": { translate: "multi-query" },
  decompose: { translate: "decompose" },
  "step-back": { translate: "step-back" },
  hyde: { translate: "hyde" },
  grade: { grade: true },
  check: { check: true },
  "grade, check": { grade: true, check: true },
  adaptive: { adaptive: true },
};

/** Runs all flows on all questions. Returns a row for each, with its counts. */
export async function measureFlows({ folder, questions }, isEager) {
  const retriever = documents({ folder, maxResults: 5 });
  await retriever.refresh();
  const rows = [];
  for (const [flow, options] of Object.entries(flows)) {
    const model = new ReaderModel(isEager);
    const agent = createRetrievalAgent({ model, retriever, ...options });
    const ask = async (question) => {
      const { answer, stopReason } = await agent.invoke({ messages: question });
      return stopReason === "ungrounded" ? `${answer} (could not be confirmed)` : answer;
    };
    rows.push(await run(`Glassloop: ${flow}`, questions, model, ask));
  }
  const model = new ReaderModel(isEager);
  const chain = RetrievalQAChain.fromLLM(model, retriever);
  rows.push(
    await run("LangChain: RetrievalQAChain", questions, model, async (query) => (await chain.invoke({ query })).text),
  );
  await retriever.close();
  return rows;
}

/** Asks pairs of questions, of which the second follows up the first. Only the second answer counts. */
export async function measureConversations({ folder, questions }, isEager) {
  const retriever = documents({ folder, maxResults: 5 });
  await retriever.refresh();
  const pairs = pairsOf(questions);
  const rows = [];
  const ours = new ReaderModel(isEager);
  const threads = await openThreads("memory:");
  const agent = createRetrievalAgent({ model: ours, retriever, checkpointer: threads.checkpointer });
  const askAgent = (thread) => async (question) =>
    (await agent.invoke({ messages: question }, { configurable: { thread_id: thread } })).answer;
  rows.push(await runPairs("Glassloop: stuff, on a thread", pairs, ours, askAgent));
  await threads.close();
  const model = new ReaderModel(isEager);
  const ask = () => {
    const memory = new BufferMemory({ memoryKey: "chat_history", returnMessages: true });
    const chain = ConversationalRetrievalQAChain.fromLLM(model, retriever, { memory });
    return async (question) => (await chain.invoke({ question })).text;
  };
  rows.push(await runPairs("LangChain: ConversationalRetrievalQAChain", pairs, model, ask));
  await retriever.close();
  return rows;
}

function pairsOf(questions) {
  const paths = [...new Set(questions.flatMap(({ path }) => path ?? []))];
  const groups = paths.map((path) => questions.filter((one) => one.path === path));
  return groups.flatMap(([first, second]) => {
    if (second === undefined) return [];
    return [{ first, second: { ...second, question: second.question.replace(second.name, "that one") } }];
  });
}

async function run(flow, questions, model, ask) {
  const counts = { right: 0, wrong: 0, notFound: 0, honest: 0, invented: 0 };
  for (const one of questions) counts[outcome(await ask(one.question), one)] += 1;
  return { flow, ...counts, ...perQuestion(model.spent, questions.length) };
}

async function runPairs(flow, pairs, model, start) {
  const counts = { right: 0, wrong: 0, notFound: 0, honest: 0, invented: 0 };
  for (const [n, { first, second }] of pairs.entries()) {
    const ask = start(`t${n}`);
    await ask(first.question);
    counts[outcome(await ask(second.question), second)] += 1;
  }
  return { flow, ...counts, ...perQuestion(model.spent, 2 * pairs.length) };
}

function perQuestion({ calls, tokens }, questions) {
  return { calls: calls / questions, tokens: Math.round(tokens / questions) };
}

/** Tells what an answer is worth. One that is told as not confirmed counts as an honest one. */
function outcome(text, { answer }) {
  const isOpen = /do(?:es)? not know|don't know|found nothing|could not be confirmed/i.test(text);
  if (answer === undefined) return isOpen ? "honest" : "invented";
  if (text.includes(answer)) return "right";
  return isOpen ? "notFound" : "wrong";
}
