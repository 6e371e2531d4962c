import type { Action, GlobalOptions } from '../../run.ts';
import type { Shell } from './command.ts';

// Works in bash 3.2, the version of macOS. Bash splits words at = and :, so they are joined for natter, and the part
// before the last = or : is removed from the candidates. A list after two tabs (63) is only shown, never inserted, so it
// has descriptions.
const bash = `# natter completion for bash: begin
_natter() {
  local index word joined='' prefix line
  local -a words=()
  COMPREPLY=()
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $index -gt 1 && ( $word == [=:]* || $joined == *[=:] ) ]]; then
      joined+=$word
    else
      [[ $index -gt 1 ]] && words+=("$joined")
      joined=$word
    fi
  done
  joined=\${joined#[\\"\\']}
  prefix=\${joined%"\${joined##*[=:]}"}
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      [[ $joined == -*=* ]] && joined=\${joined#*=}
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$joined")
      return
    fi
    line=\${line#"$prefix"}
    if [[ \${COMP_TYPE-} == 63 ]]; then
      line=\${line/$'\\t'/  -- }
      COMPREPLY+=("\${line:0:\${COLUMNS:-80}-1}")
      continue
    fi
    line=\${line%%$'\\t'*}
    [[ $line == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY+=("$line")
  done < <(natter __complete "\${words[@]}" "=$joined" 2>/dev/null </dev/null)
}
complete -F _natter natter
# natter completion for bash: end
`;

// Works sourced from .zshrc, and as the file _natter in a folder of fpath.
const zsh = `#compdef natter
# natter completion for zsh: begin
_natter() {
  local -a lines values shown open
  local line
  lines=("\${(@f)$(natter __complete "\${(@Q)words[2,CURRENT-1]}" "=\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  for line in \${lines:#:files}; do
    [[ \${line%%$'\\t'*} == *= ]] && { open+=("\${line%%$'\\t'*}"); continue }
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( $#values )) && compadd -l -d shown -a values
  (( $#open )) && compadd -S '' -a open
  if [[ $lines[-1] == :files ]]; then
    [[ $PREFIX == -*=* ]] && compset -P '*='
    _files
  fi
}
if [[ \${funcstack[1]} == _natter ]]; then
  _natter "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _natter natter
fi
# natter completion for zsh: end
`;

const fish = `# natter completion for fish: begin
function __natter_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (natter __complete $words "=$current" 2>/dev/null </dev/null)
    for line in (string match -v -- :files $lines)
        echo -- $line
    end
    if contains -- :files $lines
        set -l option (string match -r -- '^--[^=]+=' $current)
        set -l typed (string replace -r -- '^--[^=]+=' '' $current)
        for path in (__fish_complete_path $typed)
            echo -- "$option$path"
        end
    end
end
complete -c natter -e
complete -c natter -f -a '(__natter_complete)'
# natter completion for fish: end
`;

/**
 * For PowerShell 5.1 and newer. The word under the cursor has = before it, because 5.1 drops empty arguments.
 * Without candidates PowerShell completes paths.
 */
const powershell = String.raw`# natter completion for PowerShell: begin
Register-ArgumentCompleter -Native -CommandName natter -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text.Trim('"', "'") })
    natter __complete @words "=$wordToComplete" 2>$null | ForEach-Object {
        $value, $description = $_ -split [char]9, 2
        if ($value -ne ':files') {
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
# natter completion for PowerShell: end
`;

/** The script is plain ASCII, so that the shell's encoding does not matter. */
const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

export const printScript: Action<GlobalOptions, [shell: Shell]> = async ({ context }, shell) =>
  context.streams.stdout.write(scripts[shell]);
