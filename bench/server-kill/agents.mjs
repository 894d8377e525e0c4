// The agents of the server that is killed: one asks nobody, and one asks people.
import { join } from "node:path";
import { planAgent } from "../kill/agent.mjs";

const { MODEL_URL: modelUrl, LINES: folder } = process.env;
const fileOf = ({ configurable }) => join(folder, configurable.thread_id);

export const agent = await planAgent({ modelUrl, fileOf, approve: false });
export const careful = await planAgent({ modelUrl, fileOf, approve: true });
