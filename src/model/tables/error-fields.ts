/** The fields in which servers put the words of an error into an event that has no reply, beside `error`. */
export const wordFields = ["error_message", "error_msg", "errorMessage", "detail", "message", "msg"] as const;

/** The fields for the code of such an error. */
export const codeFields = ["code", "error_code", "error_type", "type"] as const;
