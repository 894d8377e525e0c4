import { ScriptedModel as Model } from "../overhead/scripted-model.mjs";

/** A scripted model that calls a function when it is asked. */
export class ScriptedModel extends Model {
  onAsked = () => {};

  async _generate() {
    this.onAsked();
    return super._generate();
  }
}
