// Measures the time that an agent spends on itself. Run `npm run bench:overhead` in the project's folder, which builds
// `dist` first.
import { installPeers } from "./install-peers.mjs";

installPeers();
const { compareOverhead } = await import("./overhead/compare.mjs");
await compareOverhead();
