import * as messages from "@langchain/core/messages";
import * as tools from "@langchain/core/tools";
import * as langgraph from "@langchain/langgraph";
import * as glassloop from "glassloop";
import { scriptedModel } from "glassloop/testing";
import * as zod from "zod";
import scenario from "./scenario.cjs";

const result = await scenario({ glassloop: { ...glassloop, scriptedModel }, langgraph, tools, messages, zod });
console.log(JSON.stringify(result, null, 2));
