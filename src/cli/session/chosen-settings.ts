import { InvalidOptionError } from "../../base/errors.js";
import { providerNames } from "../../model/models.js";
import { type Environment, placeOf } from "../program/environment.js";
import { UsageError } from "../program/exit-codes.js";
import { allSettings, type Setting, type SettingTexts, settings, variableOf } from "../program/settings.js";

/** A place that settings come from. */
export interface Layer {
  readonly kind: "typed" | "kept" | "environment";
  readonly texts: SettingTexts;
  /** Returns the name that errors give to a setting of this place. */
  nameOf(setting: string): string;
  /** True for the settings of a thread whose model had a server of its own. */
  readonly hadServer?: boolean;
}

export function typedLayer(texts: SettingTexts): Layer {
  return { kind: "typed", texts, nameOf: (setting) => `--${setting}` };
}

/** The variables of the environment, and those of the config file. An empty variable counts as missing. */
export function environmentLayer(environment: Environment): Layer {
  const texts = allSettings.flatMap(({ name }) => {
    const text = environment.env[variableOf(name)];
    return text ? [[name, text] as const] : [];
  });
  return {
    kind: "environment",
    texts: Object.fromEntries(texts),
    nameOf: (setting) => placeOf(setting, environment),
  };
}

/**
 * The settings of a session. Each setting comes from the first place that has it. An empty text stands for the default. A
 * model and the address of its server go together: a model with a provider takes no address from a place of lower priority.
 * The exception is the model of a thread that had a server.
 */
export class ChosenSettings {
  private readonly ofServer: readonly Layer[];

  constructor(private readonly layers: readonly Layer[]) {
    const named = layers.findIndex(({ texts }) => texts[settings.model.name] !== undefined);
    const { texts: { [settings.model.name]: model = "" } = {}, hadServer } = layers[named] ?? {};
    this.ofServer = named < 0 || hadServer || isBare(model) ? layers : layers.slice(0, named + 1);
  }

  /** Returns the text of a setting; undefined for the default. */
  text(setting: Setting): string | undefined {
    const text = this.place(setting)?.texts[setting.name];
    return text === "" && setting !== settings.model ? undefined : text;
  }

  /** Reads a setting; undefined for the default. @throws UsageError that names its place. */
  value<Value>(setting: Setting<Value>): Value | undefined {
    const text = this.text(setting);
    if (text === undefined) return undefined;
    try {
      return setting.read(text);
    } catch (error) {
      throw error instanceof UsageError ? this.wrong(setting, error.message) : error;
    }
  }

  /** Makes the error for a setting, which names its place. */
  wrong(setting: Setting, reason: string): UsageError {
    return new UsageError(`${this.place(setting)?.nameOf(setting.name)}: ${reason}`);
  }

  /** Makes the error of a library's option that is a setting name the setting's place. Other errors stay as they are. */
  explained(error: unknown): unknown {
    if (!(error instanceof InvalidOptionError)) return error;
    const [, setting] = Object.entries<Setting>(settings).find(([option]) => option === error.option) ?? [];
    const place = setting && this.place(setting);
    return place ? new InvalidOptionError(place.nameOf(setting.name), error.reason) : error;
  }

  /** Returns the place of a setting; undefined if no place has it. */
  place(setting: Setting): Layer | undefined {
    const layers = setting === settings.baseUrl ? this.ofServer : this.layers;
    return layers.find(({ texts }) => texts[setting.name] !== undefined);
  }
}

/** Tells whether a model is named without a provider, so that it needs the address of its server. */
function isBare(models: string): boolean {
  return models.split(",").some((model) => {
    const [provider = ""] = model.trim().split(":", 1);
    return model.trim() !== "offline" && !providerNames.includes(provider);
  });
}
