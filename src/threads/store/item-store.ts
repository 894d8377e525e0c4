import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { type Database, NOW, numberOf, type Row, type Statement, textOf } from "../databases/database.js";
import { fromJson } from "../values/from-json.js";
import { toJson } from "../values/to-json.js";

/** The most rows of a query, of which a filter may leave out all. */
const PAGE = 200;
const columns = "number, namespace, key, value, created_at, updated_at";
/** The owner of items that nobody owns. `authenticate` cannot return it. */
const NOBODY = "";

/**
 * LangGraph's long-term store, in the database of the threads. It sees and changes only the items of one owner, whatever
 * their namespace is. It finds items by their namespace and by filters, and ignores the `query` of a search, as LangGraph's
 * store in memory does without an index.
 */
export class ItemStore extends BaseStore {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string | undefined) {
    super();
    this.#database = database;
    this.#owner = owner ?? NOBODY;
  }

  /** Reads come before writes, and of several writes to an item the last one counts, as in LangGraph's own stores. */
  override batch<Operations extends Operation[]>(operations: Operations): Promise<OperationResults<Operations>>;
  override async batch(operations: Operation[]): Promise<unknown> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    await this.#write(operations.filter((operation) => "value" in operation));
    return results;
  }

  #read(operation: Operation): Promise<unknown> | undefined {
    if ("namespacePrefix" in operation) return this.#search(operation);
    if ("value" in operation) return undefined;
    return "key" in operation ? this.#get(operation) : this.#list(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const [row] = await this.#database.all(
      `select ${columns} from glassloop_store_items where owner = $1 and namespace = $2 and key = $3`,
      [this.#owner, pathOf(namespace), JSON.stringify(key)],
    );
    return row ? itemOf(row) : null;
  }

  /** Finds items, in the order in which they were first put. */
  async #search({ namespacePrefix, filter, limit = 10, offset = 0 }: SearchOperation): Promise<Item[]> {
    const size = filter === undefined ? Math.min(PAGE, offset + limit) : PAGE;
    const found: Item[] = [];
    for (let after = 0; ; ) {
      const rows = await this.#page(pathOf(namespacePrefix), after, size);
      const items = rows.map(itemOf);
      found.push(...(filter ? items.filter(({ value }) => matchesFilter(value, filter)) : items));
      const last = rows.at(-1);
      if (last === undefined || rows.length < size || found.length >= offset + limit) break;
      after = numberOf(last, "number");
    }
    return found.slice(offset, offset + limit);
  }

  /** Reads the next items whose namespace begins with a path. After a path there is nothing, or another label in quotes. */
  #page(path: string, after: number, size: number): Promise<Row[]> {
    return this.#database.all(
      `select ${columns} from glassloop_store_items
        where owner = $1 and namespace >= $2 and namespace < $3 and number > $4 order by number limit $5`,
      [this.#owner, path, `${path}#`, after, size],
    );
  }

  async #list({ matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation): Promise<string[][]> {
    const rows = await this.#database.all(
      "select distinct namespace from glassloop_store_items where owner = $1 order by namespace",
      [this.#owner],
    );
    const paths = rows
      .map((row) => labelsOf(textOf(row, "namespace")))
      .filter((labels) => matchConditions.every((condition) => isUnder(labels, condition)))
      .map((labels) => pathOf(labels.slice(0, maxDepth)));
    return [...new Set(paths)].slice(offset, offset + limit).map(labelsOf);
  }

  async #write(operations: readonly PutOperation[]): Promise<void> {
    const last = new Map(operations.map((put) => [`${pathOf(put.namespace)} ${put.key}`, this.#statement(put)]));
    // Two batches lock their rows in one order, so that they do not wait for each other.
    const sorted = [...last].sort(([one], [other]) => (one < other ? -1 : 1));
    if (sorted.length > 0) await this.#database.batch(sorted.map(([, statement]) => statement));
  }

  #statement({ namespace, key, value }: PutOperation): Statement {
    const item = [this.#owner, pathOf(namespace), JSON.stringify(key)];
    if (value === null) return { sql: drop, parameters: item };
    return { sql: upsert, parameters: [...item, toJson(value)] };
  }
}

const drop = "delete from glassloop_store_items where owner = $1 and namespace = $2 and key = $3";
const upsert = `insert into glassloop_store_items (owner, namespace, key, value, created_at, updated_at)
  values ($1, $2, $3, $4, ${NOW}, ${NOW})
  on conflict (owner, namespace, key) do update set value = excluded.value, updated_at = excluded.updated_at`;

function itemOf(row: Row): Item {
  return {
    namespace: labelsOf(textOf(row, "namespace")),
    key: String(JSON.parse(textOf(row, "key"))),
    value: Object(fromJson(textOf(row, "value"))),
    createdAt: new Date(textOf(row, "created_at")),
    updatedAt: new Date(textOf(row, "updated_at")),
  };
}

const labelsSchema = z.array(z.string());

/**
 * Writes a namespace as text: each label as JSON, with a comma behind it. The text of a namespace begins with that of each
 * namespace that it lies in, and of no other. JSON also keeps characters that a database refuses.
 */
function pathOf(namespace: readonly string[]): string {
  return namespace.map((label) => `${JSON.stringify(label)},`).join("");
}

/** Reads what {@link pathOf} wrote. */
function labelsOf(path: string): string[] {
  return labelsSchema.parse(JSON.parse(`[${path.slice(0, -1)}]`));
}

/** Tells whether a namespace begins or ends as a condition says. A `*` there stands for any label. */
function isUnder(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return (
    path.length <= namespace.length && path.every((label, index) => label === "*" || label === namespace[start + index])
  );
}

/** LangGraph's operators. */
const operators: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

/**
 * Tells whether an item is as a filter wants it: each key of the filter has a value, or an object of operators. It compares
 * as LangGraph's store in memory does.
 */
function matchesFilter(item: Readonly<Record<string, unknown>>, filter: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const value = item[key];
    const conditions = typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : undefined;
    if (conditions === undefined || !conditions.every(([name]) => Object.hasOwn(operators, name))) {
      return value === wanted;
    }
    return conditions.every(([name, operand]) => operators[name]?.(value, operand) === true);
  });
}
