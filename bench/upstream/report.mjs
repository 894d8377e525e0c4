import { savers } from "./savers.mjs";

const theirs = "MemorySaver";

/**
 * Prints how many tests passed on each checkpointer, and the tests with other results than on MemorySaver. Returns the
 * exit code: a failure if no test ran.
 */
export function report(modules) {
  const results = new Map([theirs, ...Object.values(savers)].map((name) => [name, new Map()]));
  for (const module of modules) {
    for (const error of module.errors()) console.error(error.message);
    for (const test of module.children.allTests()) {
      const [first, ...rest] = test.fullName.split(" > ");
      const isOurs = results.has(first);
      results.get(isOurs ? first : theirs).set(isOurs ? rest.join(" > ") : test.fullName, test.result());
    }
  }
  for (const [name, tests] of results) {
    const passed = [...tests.values()].filter(({ state }) => state === "passed").length;
    console.log(`${name.padEnd(20)} ${passed} of ${tests.size} passed`);
    for (const [test, { state, errors = [] }] of tests) {
      if (state === results.get(theirs).get(test)?.state) continue;
      console.log(`  ${state}: ${test}\n    ${errors.map(({ message }) => message.split("\n")[0]).join("\n    ")}`);
    }
  }
  return results.get(theirs).size > 0 ? 0 : 1;
}
