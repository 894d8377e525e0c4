export {
  type ScriptedCall,
  type ScriptedCallOptions,
  type ScriptedMessage,
  ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedReplyMaker,
  scriptedModel,
} from "./scripted-model.js";
export { type Transcribable, transcript } from "./transcript.js";
