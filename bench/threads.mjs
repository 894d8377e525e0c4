// Measures the cost of a long thread. Run `npm run bench:threads` in the project's folder, which builds `dist` first.
import { installPeers } from "./install-peers.mjs";

installPeers({ withSaver: true });
const { compareThreads } = await import("./threads/compare.mjs");
process.exitCode = (await compareThreads()) ? 0 : 1;
