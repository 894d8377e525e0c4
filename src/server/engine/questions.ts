import { z } from "zod";

const role = z.enum(["human", "user"]).optional();
const nothing = z.record(z.string(), z.never()).nullish();
const question = z
  .strictObject({
    type: role,
    role,
    content: z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]),
    id: z.string().nullish(),
    name: z.null().optional(),
    example: z.literal(false).optional(),
    additional_kwargs: nothing,
    response_metadata: nothing,
  })
  .refine(({ type, role }) => type ?? role);

/** The input of a run that only asks: messages of a person, with what they say and nothing else. A list of texts has two readings. */
export const questionsSchema = z
  .strictObject({
    messages: z.union([z.string().transform(() => []), question.transform((one) => [one]), z.array(question).min(1)]),
  })
  .transform(({ messages }) => messages);
