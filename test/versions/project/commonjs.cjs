const messages = require("@langchain/core/messages");
const tools = require("@langchain/core/tools");
const langgraph = require("@langchain/langgraph");
const glassloop = require("glassloop");
const { scriptedModel } = require("glassloop/testing");
const zod = require("zod");
const scenario = require("./scenario.cjs");

scenario({ glassloop: { ...glassloop, scriptedModel }, langgraph, tools, messages, zod }).then((result) => {
  console.log(JSON.stringify(result, null, 2));
});
