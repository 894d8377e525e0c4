/** Tells whose request it is: a name for the owner of what it makes. Undefined refuses the request. */
export type Authenticate = (request: Request) => string | undefined | Promise<string | undefined>;
