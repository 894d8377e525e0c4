import { Argument } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { exitCodes } from "../program/exit-codes.js";
import { type End, programCommand } from "../program/program-command.js";

/** Makes the command `glassloop completion`. Its scripts call it again with the words that were typed. */
export function completionCommand(io: Io, end: End) {
  return programCommand("completion", io)
    .description("Print a script with which your shell completes commands, options, and ids of threads.")
    .addArgument(new Argument("<shell>", "your shell").choices(["bash", "zsh", "fish"]))
    .argument("[words...]", 'the words typed after "glassloop": prints what the last one can become')
    .addHelpText("after", examples)
    .action(async (shell, words, _options, command) => {
      if (words.length === 0) io.stdout.write(scripts[shell]);
      else {
        const { completeWords } = await import("./complete-words.js");
        const found = await completeWords(command.parent ?? command, words, io, shell === "bash");
        io.stdout.write(found.map((word) => `${word}\n`).join(""));
      }
      end(exitCodes.answered);
    });
}

const examples = `
Examples:
  glassloop completion bash >> ~/.bashrc
  glassloop completion zsh >> ~/.zshrc
  glassloop completion fish >> ~/.config/fish/config.fish`;

const bash = `_glassloop() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(glassloop completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _glassloop glassloop
`;

const zsh = `_glassloop() {
  local -a found
  found=("\${(@f)$(glassloop completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _glassloop glassloop
`;

const fish = `function __glassloop_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l found (glassloop completion fish -- $words[2..-1] "$last" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$last"
    end
end
complete -c glassloop -f -a '(__glassloop_complete)'
`;

const scripts = { bash, zsh, fish };
