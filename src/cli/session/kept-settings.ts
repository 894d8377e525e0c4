import { approvePolicies, type PolicyName } from "../../agent/policy-names.js";
import type { ThreadSettings } from "../../threads/checkpoints/thread-row.js";
import { allSettings, type Setting, type SettingTexts, settings, typedWords } from "../program/settings.js";
import { ChosenSettings, type Layer } from "./chosen-settings.js";

// A thread may come from somebody else, with a folder or a database. So the kept settings choose no address, folder, program
// or key, and no looser approval: of such settings only the names are kept.

const goingOn: readonly Setting[] = [settings.model, settings.protocol];
const limits: readonly Setting[] = [
  settings.maxSteps,
  settings.maxModelCalls,
  settings.maxTokens,
  settings.maxDollars,
  settings.maxTime,
];
const onlyNamed: readonly Setting[] = [
  settings.baseUrl,
  settings.tools,
  settings.docs,
  settings.embeddings,
  settings.embeddingsUrl,
  settings.retrieval,
  settings.flow,
  settings.mcp,
  settings.system,
];

/** The name of the names, among the texts that a thread keeps. */
const givenName = "given";

/**
 * Returns the settings of a thread that a command goes on with.
 *
 * @param goesOn True if it goes on with the last turn: that has the limits with which it began.
 */
export function keptLayer(kept: ThreadSettings, goesOn: boolean): Layer {
  return layerOf(kept, goesOn ? [...goingOn, ...limits] : goingOn);
}

function layerOf(kept: ThreadSettings, taken: readonly Setting[]): Layer {
  return {
    kind: "kept",
    texts: textsOf(taken, ({ name }) => kept[name]),
    nameOf: (setting) => `The thread's --${setting}`,
    hadServer: namesIn(kept).includes(settings.baseUrl.name),
  };
}

/** Returns what a thread keeps of the settings of a session. */
export function settingsToKeep(
  chosen: ChosenSettings,
  { model, address }: { readonly model: string; readonly address: string | undefined },
  before: ThreadSettings,
): ThreadSettings {
  // Nobody chose the offline rules if they only answer for want of a model.
  const isChosen = model !== "offline" || chosen.place(settings.model) !== undefined;
  const approve = strictest(chosen.value(settings.approve), keptApproval(before));
  const given = onlyNamed
    .filter((setting) => (setting === settings.baseUrl ? address !== undefined : isGiven(setting, chosen, before)))
    .map(({ name }) => name);
  return {
    ...textsOf([settings.protocol, ...limits], (setting) => chosen.text(setting)),
    ...(isChosen && { [settings.model.name]: model }),
    ...(approve !== "never" && { [settings.approve.name]: approve }),
    ...(given.length > 0 && { [givenName]: given.join(" ") }),
  };
}

function isGiven(setting: Setting, chosen: ChosenSettings, before: ThreadSettings): boolean {
  const text = chosen.text(setting);
  return text === undefined ? isMissing(setting, chosen, before) : text !== "false";
}

/** Returns the settings that the thread was made with, and that a session goes on without. The model's server is none: it is asked for. */
export function missingSettings(chosen: ChosenSettings, before: ThreadSettings): readonly Setting[] {
  return onlyNamed.filter((setting) => setting !== settings.baseUrl && isMissing(setting, chosen, before));
}

/** An empty text says that the thread goes on without the setting. */
function isMissing(setting: Setting, chosen: ChosenSettings, before: ThreadSettings): boolean {
  return chosen.place(setting) === undefined && namesIn(before).includes(setting.name);
}

function namesIn({ [givenName]: names = "" }: ThreadSettings): readonly string[] {
  return names.split(" ");
}

/**
 * Returns the policy of a session: the stricter one of what is chosen and what the thread keeps.
 *
 * @param usual The policy if nobody chose one.
 * @throws UsageError if somebody typed a looser one than the thread's.
 */
export function approvalOf(chosen: ChosenSettings, before: ThreadSettings, usual: PolicyName): PolicyName {
  const wanted = chosen.value(settings.approve);
  const kept = keptApproval(before);
  const approve = strictest(wanted ?? usual, kept);
  if (wanted !== undefined && wanted !== approve && chosen.place(settings.approve)?.kind === "typed") {
    throw chosen.wrong(
      settings.approve,
      `This thread was made with --approve ${approve}, which can only get stricter. Leave the option out, or begin another thread.`,
    );
  }
  return approve;
}

/**
 * Returns the options to give again when the thread goes on, as it does not keep them.
 *
 * @param goesOn True if it goes on with the last turn: that has the limits with which it began.
 */
export function optionsToRepeat(typed: SettingTexts, goesOn: boolean): readonly string[] {
  const kept = [...goingOn, settings.approve, ...(goesOn ? limits : [])];
  return allSettings.flatMap((setting) => {
    const text = kept.includes(setting) ? undefined : typed[setting.name];
    return text === undefined ? [] : typedWords(setting, text);
  });
}

function keptApproval(kept: ThreadSettings): PolicyName | undefined {
  return new ChosenSettings([layerOf(kept, [settings.approve])]).value(settings.approve);
}

function strictest(...policies: readonly (PolicyName | undefined)[]): PolicyName {
  return approvePolicies.findLast((policy) => policies.includes(policy)) ?? "never";
}

function textsOf(chosen: readonly Setting[], textOf: (setting: Setting) => string | undefined): SettingTexts {
  const texts = chosen.flatMap((setting) => {
    const text = textOf(setting);
    return text === undefined ? [] : [[setting.name, text] as const];
  });
  return Object.fromEntries(texts);
}
