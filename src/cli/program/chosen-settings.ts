import { InvalidArgumentError } from "@commander-js/extra-typings";
import { InvalidOptionError } from "../../base/errors.js";
import { providerNames } from "../../model/models.js";
import { type Environment, placeOf } from "./environment.js";
import { UsageError } from "./exit-codes.js";
import { offeredModels, type Setting, type SettingTexts, settings, variableOf } from "./settings.js";

/**
 * The settings of a command: those that a person typed, else those of the environment. An empty text stands for the default.
 * A typed model of a provider does not go to a server of the environment.
 */
export class ChosenSettings {
  /** @param typed The options of the command. */
  constructor(
    private readonly typed: SettingTexts,
    private readonly environment: Environment,
  ) {}

  /** Returns the text of a setting; undefined for the default. */
  text(setting: Setting): string | undefined {
    const text = this.typed[setting.name] ?? this.ofEnvironment(setting);
    return text === "" && setting !== settings.model ? undefined : text;
  }

  /** Reads a setting; undefined for the default. @throws UsageError that names its place. */
  value<Value>(setting: Setting<Value>): Value | undefined {
    const text = this.text(setting);
    if (text === undefined) return undefined;
    try {
      return setting.read(text);
    } catch (error) {
      throw error instanceof InvalidArgumentError ? this.wrong(setting, error.message) : error;
    }
  }

  isTyped({ name }: Setting): boolean {
    return this.typed[name] !== undefined;
  }

  /** Makes the error for a setting, which names its place. */
  wrong(setting: Setting, reason: string): UsageError {
    return new UsageError(`${this.placeOf(setting)}: ${reason}`);
  }

  /**
   * Makes the error of a library's option that is a setting name the setting's place. Other errors stay as they are.
   *
   * @param named The settings of options that have another name.
   */
  explained(error: unknown, named: Readonly<Record<string, Setting>> = {}): unknown {
    if (!(error instanceof InvalidOptionError)) return error;
    const setting = new Map(Object.entries<Setting>({ ...settings, ...named })).get(error.option);
    if (setting === undefined || this.text(setting) === undefined) return error;
    return new InvalidOptionError(this.placeOf(setting), error.reason);
  }

  private placeOf(setting: Setting): string {
    return this.isTyped(setting) ? `--${setting.name}` : placeOf(setting.name, this.environment);
  }

  private ofEnvironment(setting: Setting): string | undefined {
    const model = this.typed[settings.model.name];
    if (setting === settings.baseUrl && model !== undefined && !isBare(model)) return undefined;
    return this.environment.env[variableOf(setting.name)] || undefined;
  }
}

/** Tells whether a model is named without a provider, so that it needs the address of its server. */
function isBare(models: string): boolean {
  return offeredModels(models)
    .flat()
    .some((model) => {
      const [provider = ""] = model.split(":", 1);
      return model !== "" && model !== "offline" && !providerNames.includes(provider);
    });
}
