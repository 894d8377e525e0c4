import type { Io } from "../io.js";
import { type End, type NewCommand, withAgentOptions } from "../program/options.js";

export function declare(command: NewCommand, io: Io, end: End) {
  return withAgentOptions(command).action(async (options) => {
    const { chat } = await import("../chat/chat.js");
    end(await chat(options, io));
  });
}
