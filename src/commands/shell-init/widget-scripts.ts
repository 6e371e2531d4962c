// The scripts are plain ASCII. The line goes to natter on standard input, never as an argument, which other users could
// read in the process list; the answer is assigned to the line, never evaluated.
import type { Shell } from '../completion/scripts.ts';

/** What a script is made of; all texts are safe without quotes. */
export interface WidgetParts {
  /** `natter shell-init bash` and the options of the service. */
  readonly call: string;
  /** In the notation of the shell; undefined without that key. */
  readonly key: string | undefined;
  readonly explainKey: string | undefined;
}

const lines = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined).join('\n');

function bash({ call, key, explainKey }: WidgetParts): string {
  const bind = (sequence: string | undefined, widget: string) =>
    sequence === undefined
      ? undefined
      : `  for _natter_map in emacs vi-insert; do bind -m "$_natter_map" -x '"${sequence}": ${widget}'; done`;
  return `_natter_suggest() {
  local answer saved
  saved=$(trap -p INT)
  trap : INT
  if answer=$(printf '%s' "$READLINE_LINE" | command ${call} --suggest) && [[ -n $answer ]]; then
    READLINE_LINE=$answer
    READLINE_POINT=2147483647
  fi
  if [[ -n $saved ]]; then eval "$saved"; else trap - INT; fi
}
_natter_explain() {
  local code=$? saved
  saved=$(trap -p INT)
  trap : INT
  builtin fc -ln -1 | command ${call} --explain "$code"
  if [[ -n $saved ]]; then eval "$saved"; else trap - INT; fi
}
if ((BASH_VERSINFO[0] < 4)); then
  echo 'natter: the keys need bash 4 or newer' >&2
elif [[ $- == *i* ]]; then
${lines(bind(key, '_natter_suggest'), bind(explainKey, '_natter_explain'), '  unset _natter_map')}
fi
`;
}

function zsh({ call, key, explainKey }: WidgetParts): string {
  const bind = (sequence: string | undefined, widget: string) =>
    sequence === undefined
      ? undefined
      : `  zle -N ${widget}
  bindkey -M emacs '${sequence}' ${widget}
  bindkey -M viins '${sequence}' ${widget}`;
  return `_natter_suggest() {
  emulate -L zsh
  setopt localtraps
  trap : INT
  local answer
  zle -R 'natter: waiting for an answer; Ctrl+C stops'
  if answer=$(print -rn -- "$BUFFER" | command ${call} --suggest 2>&1); then
    BUFFER=$answer
    CURSOR=$#BUFFER
  else
    zle -R ''
    zle -M -- "\${answer%%$'\\n'*}"
  fi
}
_natter_explain() {
  local code=$?
  emulate -L zsh
  setopt localtraps
  trap : INT
  zle -I
  fc -ln -1 | command ${call} --explain $code
}
if [[ -o interactive ]]; then
${lines(bind(key, '_natter_suggest'), bind(explainKey, '_natter_explain'))}
fi
`;
}

function fish({ call, key, explainKey }: WidgetParts): string {
  const bind = (sequence: string | undefined, widget: string) =>
    sequence === undefined
      ? undefined
      : `    bind ${sequence} ${widget}
    bind -M insert ${sequence} ${widget}`;
  return `function __natter_suggest
    set -l answer (commandline | command ${call} --suggest 2>&1)
    if test $status -eq 0
        commandline -r -- (string join \\n -- $answer | string collect)
        commandline -f end-of-buffer
    else
        echo
        echo -- $answer[1] >&2
        commandline -f repaint
    end
end
function __natter_explain
    set -l code $status
    echo
    printf '%s' $history[1] | command ${call} --explain $code
    commandline -f repaint
end
if status is-interactive
${lines(bind(key, '__natter_suggest'), bind(explainKey, '__natter_explain'))}
end
`;
}

function powershell({ call, key, explainKey }: WidgetParts): string {
  const editor = '[Microsoft.PowerShell.PSConsoleReadLine]';
  const suggest =
    key === undefined
      ? undefined
      : `Set-PSReadLineKeyHandler -Chord '${key}' -BriefDescription NatterSuggest -Description 'Turn the text on the line into a command' -ScriptBlock {
    $line = $null
    $cursor = $null
    ${editor}::GetBufferState([ref]$line, [ref]$cursor)
    $code = $global:LASTEXITCODE
    $ErrorActionPreference = 'Continue'
    $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
    $answer = @($line | ${call} --suggest 2>&1 | ForEach-Object { "$_" })
    if ($global:LASTEXITCODE -eq 0 -and $answer.Count -gt 0) {
        ${editor}::Replace(0, $line.Length, ($answer -join "\`n"))
    } elseif ($answer.Count -gt 0) {
        [Console]::Error.WriteLine()
        [Console]::Error.WriteLine($answer[0])
        ${editor}::InvokePrompt()
    }
    $global:LASTEXITCODE = $code
}`;
  const explain =
    explainKey === undefined
      ? undefined
      : `Set-PSReadLineKeyHandler -Chord '${explainKey}' -BriefDescription NatterExplain -Description 'Explain the last command that failed' -ScriptBlock {
    $code = [int]$global:LASTEXITCODE
    $ErrorActionPreference = 'Continue'
    $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
    [Console]::WriteLine()
    (Get-History -Count 1).CommandLine | ${call} --explain $code 2>&1 | ForEach-Object { [Console]::WriteLine("$_") }
    ${editor}::InvokePrompt()
    $global:LASTEXITCODE = $code
}`;
  return `${lines(suggest, explain)}\n`;
}

const scripts: Readonly<Record<Shell, (parts: WidgetParts) => string>> = {
  bash,
  zsh,
  fish,
  powershell,
};

export function widgetScript(shell: Shell, parts: WidgetParts): string {
  return scripts[shell](parts);
}
