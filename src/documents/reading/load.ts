/** Loads a library of Node.js's kind by its name. The caller knows its type. */
export type Load = <Library>(name: string) => Library;
