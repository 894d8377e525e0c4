import { sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { checks } from "./conformance/checks.js";
import { describeServerOn } from "./conformance/run-checks.js";

/** What clients do every day. */
const usual =
  /^(?:threads: (?:create|bad|get a|search and|copy)|state: (?:after a|update$)|history: after|runs: (?:create|statuses|bad)|wait: (?!res|s)|stream: (?:values|messages|updates|sub|an error)|join: after|cancel: a running|two runs: (?:e|r)|store: (?:put|search|in ))/;
const names = Object.keys(checks);
const short = names.filter((name) => usual.test(name));

describeServerOn(sqlite, false, [...matrix(names, ...short)]);
