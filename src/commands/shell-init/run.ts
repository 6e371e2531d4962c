// The scripts are plain ASCII. The line goes to natter on standard input, never as an argument, which other users could
// read in the process list; the answer is assigned to the line, never evaluated.
import { Failure } from '../../failure.ts';
import { definitions } from '../../settings/definitions.ts';
import { parseValue } from '../../settings/setting-value.ts';
import type { Shell } from '../completion/command.ts';
import type { Action, Context, GlobalOptions, StartedRun } from '../../run.ts';
import { readSettings, withSettings } from '../../settings/read-settings.ts';
import { openAsker } from '../../ask/fallback.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { createActivity } from '../../output/activity.ts';
import { silentNotices } from '../../output/notices.ts';
import { chat } from '../chat/run.ts';
import { withHint } from '../../cli/report.ts';
import { promptMessages } from '../../ask/plan-request.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';

const editor = '[Microsoft.PowerShell.PSConsoleReadLine]';

const powershellHandlers = {
  suggest: (sequence: string, call: string) =>
    `Set-PSReadLineKeyHandler -Chord '${sequence}' -BriefDescription NatterSuggest -Description 'Turn the text on the line into a command' -ScriptBlock {
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
}`,
  explain: (sequence: string, call: string) =>
    `Set-PSReadLineKeyHandler -Chord '${sequence}' -BriefDescription NatterExplain -Description 'Explain the last command that failed' -ScriptBlock {
    $code = [int]$global:LASTEXITCODE
    $ErrorActionPreference = 'Continue'
    $OutputEncoding = [System.Text.UTF8Encoding]::new($false)
    [Console]::WriteLine()
    (Get-History -Count 1).CommandLine | ${call} --explain $code 2>&1 | ForEach-Object { [Console]::WriteLine("$_") }
    ${editor}::InvokePrompt()
    $global:LASTEXITCODE = $code
}`,
};

/** What each shell needs for the two keys; all texts that are inserted are safe without quotes. */
const syntaxes: Readonly<
  Record<
    Shell,
    {
      /** What is before a key with Alt, before one with Ctrl, and between two keys. */
      readonly notation: readonly [alt: string, ctrl: string, separator: string];
      /** The lines that bind a key, in the notation of the shell. @param call `natter shell-init bash` and its options */
      readonly bind: (sequence: string, action: 'suggest' | 'explain', call: string) => string;
      /** The script around these lines. */
      readonly script: (call: string, bindings: string) => string;
    }
  >
> = {
  bash: {
    notation: [String.raw`\e`, String.raw`\C-`, ''],
    bind: (sequence, action) =>
      `  for _natter_map in emacs vi-insert; do bind -m "$_natter_map" -x '"${sequence}": _natter_${action}'; done`,
    script: (call, bindings) => `_natter_suggest() {
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
${bindings}
  unset _natter_map
fi
`,
  },
  zsh: {
    notation: ['^[', '^', ''],
    bind: (sequence, action) => `  zle -N _natter_${action}
  bindkey -M emacs '${sequence}' _natter_${action}
  bindkey -M viins '${sequence}' _natter_${action}`,
    script: (call, bindings) => `_natter_suggest() {
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
${bindings}
fi
`,
  },
  fish: {
    notation: [String.raw`\e`, String.raw`\c`, ''],
    bind: (sequence, action) => `    bind ${sequence} __natter_${action}
    bind -M insert ${sequence} __natter_${action}`,
    script: (call, bindings) => `function __natter_suggest
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
${bindings}
end
`,
  },
  powershell: {
    notation: ['Alt+', 'Ctrl+', ','],
    bind: (sequence, action, call) => powershellHandlers[action](sequence, call),
    script: (_call, bindings) => `${bindings}\n`,
  },
};

/** What xterm and most other terminals send for F1 to F12, after ESC. */
const functionKeys = 'OP OQ OR OS [15~ [17~ [18~ [19~ [20~ [21~ [23~ [24~'.split(' ');

/**
 * A key as a person writes it (`alt-m`, `ctrl-x m`, `f4`), in the notation of a shell.
 * @param key a value of the type `keys` (`settings/definitions.ts`), except `none`
 */
export function keySequence(key: string, shell: Shell): string {
  const [alt, ctrl, separator] = syntaxes[shell].notation;
  const written = key.split(' ').map((one) => {
    if (one.startsWith('alt-')) return alt + one.slice('alt-'.length);
    const letter = one.startsWith('ctrl-') ? one.slice('ctrl-'.length) : undefined;
    if (letter !== undefined) return ctrl + (shell === 'zsh' ? letter.toUpperCase() : letter);
    if (!/^f\d/.test(one)) return one;
    if (shell === 'powershell') return one.toUpperCase();
    const code = functionKeys[Number(one.slice(1)) - 1] ?? '';
    return alt + (shell === 'fish' ? code.replace('[', String.raw`\[`) : code);
  });
  return written.join(separator);
}

/** The script that defines the functions of the keys and binds them. @param keys `none` omits one */
export function widgetScript(
  shell: Shell,
  call: string,
  keys: Readonly<Record<'suggest' | 'explain', string>>,
): string {
  const { bind, script } = syntaxes[shell];
  const bindings = (['suggest', 'explain'] as const)
    .filter((action) => keys[action] !== 'none')
    .map((action) => bind(keySequence(keys[action], shell), action, call));
  return script(call, bindings.join('\n'));
}

interface ShellInitOptions extends GlobalOptions {
  readonly key?: string;
  readonly explainKey?: string;
  readonly suggest?: boolean;
  /** The exit status of the last command, unparsed. */
  readonly explain?: string;
}

/** @throws Failure for two equal keys, or a bad one */
async function printScript(run: StartedRun<ShellInitOptions>, shell: Shell): Promise<void> {
  const { context, options, settings } = withSettings(run, readSettings);
  const { values } = settings;
  const keyOf = (name: 'shellKey' | 'shellExplainKey', label: string, given?: string) =>
    given === undefined
      ? values[name]
      : parseValue(definitions[name].type, given, { label, kind: 'usage' });
  const suggestKey = keyOf('shellKey', '--key', options.key);
  const explainKey = keyOf('shellExplainKey', '--explain-key', options.explainKey);
  if (suggestKey === explainKey) {
    const hint =
      suggestKey === 'none' ? 'omit at most one key' : 'choose a different --explain-key';
    throw new Failure('usage', `both keys are ${suggestKey}`, { hint });
  }
  // A profile's name has no characters that a shell interprets.
  const profile = options.profile === undefined ? '' : ` --profile ${options.profile}`;
  const call = `natter shell-init ${shell}${profile}${options.sandbox === true ? ' --sandbox' : ''}`;
  const script = widgetScript(shell, call, { suggest: suggestKey, explain: explainKey });
  const summaries = [
    [suggestKey, 'the text on the line becomes a command'],
    [explainKey, 'explain the last failure'],
  ].filter(([key]) => key !== 'none');
  const summary = summaries.map((row) => row.join(': ')).join('; ');
  const mark = `# natter shell-init for ${shell}`;
  await context.streams.stdout.write(`${mark}: begin\n# ${summary}\n${script}${mark}: end\n`);
}

/** Runs `natter shell-init <shell>`: prints the script, or does what the keys of the script ask for. @throws Failure */
export const shellInit: Action<ShellInitOptions, [shell: Shell]> = (run, shell) => {
  const { explain, suggest: suggests = false } = run.options;
  if (explain !== undefined) return printExplanation(run, shell, explain);
  return suggests ? printSuggestion(run, shell) : printScript(run, shell);
};

// What the keys of a shell ask for: a command for the text on the line, and why the last command failed.

/** Bytes; a command line is shorter. */
const maxInput = 64 * 1024;

/** Standard input as text. @throws Failure `usage` for a terminal or a long text, and with `problem` for an empty one */
async function readInput({ streams, signal }: Context, problem: string): Promise<string> {
  if (streams.stdin.isTerminal) {
    throw new Failure('usage', 'the text is expected on standard input', {
      hint: 'echo "list the largest files" | ‹natter shell-init bash --suggest›',
    });
  }
  const tooLong = () => new Failure('usage', 'the text is longer than 64 KB');
  const text = String(await collectBytes(streams.stdin.bytes(signal), maxInput, tooLong)).trim();
  if (text === '') throw new Failure('usage', problem);
  return text;
}

/** The content of the first code block; an answer may end in it. */
const fence = /^[ \t]*(?:```|~~~)[^\n]*\n(?<code>[^]*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|(?![^]))/m;

const inlineCode = /^`(?<code>[^`\n]+)`$/;

/**
 * Whether lines are clearly one command, and not an explanation with a command in it: one has a here-document, ends with
 * an operator, keyword or bracket that opens, or starts with one that continues.
 */
const oneCommand =
  /<<|(?:\\|\||&&|[{([]|\b(?:do|then|else|in|begin))\n|\n[ \t]*(?:\||&&|[)}\]]|(?:done|fi|esac|end|else|elif)\b)/;

/** Characters; a longer answer is not a command. */
const maxLength = 8_000;

function refuse(problem: string): Failure {
  return new Failure('no_answer', `the answer is not a command: ${problem}`, {
    hint: 'describe it in other words',
  });
}

/** A prompt of a shell before the command, as in documentation. */
const shellPrompt = /^[$>%] (?=\S)/;

/**
 * The command in an answer, as text for a command line: no code fence, no control or hidden characters, tabs as spaces.
 * A line end remains only in a code block and in what is clearly one command.
 * @throws Failure `no_answer` for an answer without a command
 */
export function commandOf(answer: string): string {
  if (answer.length > maxLength) throw refuse('it is too long');
  const text = sanitize(answer).replaceAll('\t', '    ').trim();
  const block = fence.exec(text)?.groups?.['code'];
  const code = block ?? inlineCode.exec(text)?.groups?.['code'] ?? text;
  const lines = code
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const command = lines.join('\n');
  if (command === '') throw refuse('it is empty');
  if (lines.length === 1) return command.trim().replace(shellPrompt, '');
  if (block !== undefined || oneCommand.test(command)) return command;
  throw refuse(`it has ${lines.length} lines`);
}

/**
 * Runs `natter shell-init <shell> --suggest`: prints the command for the text on standard input.
 * @throws Failure without a hint; or the reason of an abort
 */
async function printSuggestion(started: StartedRun, shell: Shell): Promise<void> {
  const { context, options } = started;
  // The widget shows one line, and only for a failure.
  const presentation = { ...started.presentation, notices: silentNotices };
  let asker: Awaited<ReturnType<typeof openAsker>> | undefined;
  try {
    const line = await readInput(context, 'the command line is empty');
    const settings = readSettings(context, silentNotices, options);
    const system = `Write one command line for ${shell} on ${context.platform} that does what the text describes. If the text is a command already, correct or complete it. Reply with the command alone, on one line if possible: no explanation, no Markdown, no code fence.`;
    const quiet = options.quiet === true || !context.streams.stderr.isTerminal;
    const run = { context, presentation, settings, options: { ...options, quiet, stream: true } };
    asker = await openAsker(run, { command: 'shell-init' });
    const activity = createActivity(run);
    activity.waiting(settings.values.model);
    const compose = async () => promptMessages(system, line);
    const asking = asker.ask(compose, () => undefined);
    const { content, error } = await asking.finally(() => activity.settle());
    if (error !== undefined) throw error;
    await context.streams.stdout.write(`${commandOf(content)}\n`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    // The text has one line, for the row below the command line.
    const { kind, message, hint } = withHint(error, context.environment);
    const text = hint === undefined ? message : `${message} (${hint})`;
    throw new Failure(kind, text, { cause: error });
  } finally {
    await asker?.close();
  }
}

/** Runs `natter shell-init <shell> --explain <status>`: explains why the command on standard input failed. */
async function printExplanation(run: StartedRun, shell: Shell, status: string): Promise<void> {
  if (!/^-?\d{1,10}$/.test(status)) {
    throw new Failure('usage', `--explain must be an exit status, not "${status}"`);
  }
  if (Number(status) === 0) {
    throw new Failure('usage', 'the last command did not fail: its exit status is 0');
  }
  const command = await readInput(run.context, 'there is no last command to explain');
  const system = `A command failed in ${shell} on ${run.context.platform}. Explain the most likely cause in a few sentences, and show the corrected command if there is one. Only the command and its exit status are known, not its output.`;
  const prompt = `Command:\n${command}\n\nExit status: ${Number(status)}`;
  const options = { ...run.options, system, stream: true, stdin: false, save: false };
  await chat({ ...run, options }, [prompt]);
}
