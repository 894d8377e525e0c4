import { z } from "zod";

/**
 * What a caller may do: `ask` sends new questions, `decide` answers what waits for a person, `write` changes what a thread holds and
 * where a run begins, `read` reads.
 */
export const rights = ["ask", "decide", "write", "read"] as const;
export type Right = (typeof rights)[number];

const name = z.string().min(1);
const callerSchema = z.strictObject({
  owner: name,
  by: name.optional(),
  sees: z.union([z.literal("all"), z.array(name)]).optional(),
  may: z.array(z.enum(rights)).optional(),
});

/**
 * Who sends a request.
 *
 * - `owner`: the owner of the threads that the caller makes, and sees.
 * - `by`: the name of the person; stands beside what they decide. Default: the owner.
 * - `sees`: the other owners whose threads the caller sees, or all. Default: none.
 * - `may`: the rights. Default: all.
 */
export type Identity = z.infer<typeof callerSchema>;

/** Tells who sends a request. A text is an owner with all rights. Undefined refuses the request. */
export type Authenticate = (request: Request) => string | Identity | undefined | Promise<string | Identity | undefined>;

/** Who sends a request, as the routes know them. Without `authenticate` it is nobody in particular, who may do everything. */
export interface Caller {
  readonly owner: string | undefined;
  readonly by: string | undefined;
  readonly sees: "all" | readonly string[];
  readonly may: ReadonlySet<Right>;
}

export const everybody: Caller = { owner: undefined, by: undefined, sees: [], may: new Set(rights) };

/** Reads what `authenticate` returned. @throws ZodError for an object that is no {@link Identity}. */
export function callerOf(given: string | Identity): Caller {
  const {
    owner,
    by = owner,
    sees = [],
    may = rights,
  } = callerSchema.parse(typeof given === "string" ? { owner: given } : given);
  return { owner, by, sees, may: new Set(may) };
}

/** Tells whether a caller sees what belongs to an owner. */
export function isSeen({ owner: own, sees }: Caller, owner: string | undefined): boolean {
  return owner === own || (owner !== undefined && (sees === "all" || sees.includes(owner)));
}
