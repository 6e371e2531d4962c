import type { Command, Help } from 'commander';
import { exitCodes, type FailureKind } from '../../failure.ts';
import { keyBindings, keyLabel } from '../../repl/composer/keys/key-bindings.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { settingRows } from '../config/command.ts';
import { formatRows, formatSection, serviceRows, wrapHelp } from '../../cli/help-format.ts';
import { topicNames, type TopicName } from './topic-names.ts';
import { durationNote } from '../../cli/options.ts';

/**
 * The topics of `natter help`: paragraphs, which `natter help` wraps, and below them lines to type. A line `{rows}` stands
 * for what the tables of the program say.
 */
export const guides: Readonly<Record<TopicName, string>> = {
  budget: `A budget limits the tokens or the money of a profile in a day, a week or a month. A request that might exceed it is not sent, and natter exits with 15; from 80 % on, natter warns.
$ natter config set budget 2M/day
$ natter --budget 500k/week "hello"

A budget in money needs the prices of the models, for a million tokens of prompts and of answers:
$ natter config set prices.nextgen "0.5/1.5 usd"
$ natter config set budget "5usd/week"

The ledger has a line for each request, without any text. To see what was used, and what a batch may use at most:
$ natter usage --since 7d --by model
$ natter batch --dry-run prompts.txt

A single batch has limits, too: --max-total-tokens and --max-cost. It stops before it exceeds them, and the same command continues.`,
  environment: `Environment variables. Flags override variables, variables override the profile; an empty variable counts as unset, except in NATTER_PAGER and PAGER.

{rows}`,
  'exit-codes': `Exit codes, by cause. With --json or --jsonl the name is the field "kind" of the error line on standard error.

{rows}

natter batch exits with 0 if every item is answered, and with 75 if another run can help: all failures are transient (a rate limit, an outage, a cut answer), or items are left after SIGTERM, SIGUSR1 or --stop-after. Otherwise it exits with the code of the cause if all failures share one, else with 1.

Commands exit with 6 if the named model, conversation, answer, code block or setting value does not exist, or a search has no hit. An empty list and a change that is already in effect exit with 0.

If the reader closes standard output early, as in natter … | head -1, natter exits with 0.`,
  inputs: `-f attaches a text file, a folder (without what .gitignore excludes), a pattern in quotes, an https: URL, or standard input (-). It is repeatable. Images and other files that are not text are refused.
$ natter -f . "what does this do?"
$ natter -f "**/*.md" "what is open?"

--split sends a text that does not fit the window in pieces, and combines the answers; the same command again continues. --dry-run shows how many requests there are:
$ natter --split auto -f book.txt "sum up"
$ natter --split lines --dry-run "errors?" < log.txt

--every answers input that grows in groups of lines, of seconds or of a size:
$ tail -f app.log | natter --every 200l,30s "flag anomalies"

--fallback names the models that answer if the first one fails or is too small, each step with a line on standard error:
$ natter --fallback nextgen "hello"

A service that probably cut the prompt causes a warning; with --strict it is a failure (exit code 16). The setting window is for a server whose window natter does not know:
$ natter config set window 8192`,
  keys: `Keys of a conversation (natter without a prompt). /help lists its commands. natter config keys lists yours; natter config set keys.ACTION changes them.
For API keys: natter auth --help.

{rows}`,
  piping: `Standard input is appended to the prompt byte for byte (without a byte order mark), or replaces {{stdin}} in the prompt or in --system. Without a prompt it is the prompt.
$ git diff | natter "review this"
$ printf "un, deux" | natter "translate {{stdin}} to English"
$ natter < question.txt

The word -, or -f -, requires input; --no-stdin ignores it. For other encodings, use --stdin-encoding latin1.
$ cat notes.md | natter "sum this up" -
$ natter --no-stdin "hello"

Standard output is the answer as the service sent it, without styles; a line end is added if it has none (--raw adds nothing). Notices, progress and failures go to standard error; --quiet leaves only warnings and failures.
$ natter "a haiku" > haiku.txt
$ natter --quiet "a haiku" | tr a-z A-Z

--json prints one document at the end, --jsonl each event as it happens, answer-finished or answer-failed last. Failures on standard error are JSON lines, too.
$ natter --json "three names" | jq -r .content
$ natter --jsonl "three names"

The exit code is 0 only for a complete answer (natter help exit-codes): 11 for a cut answer, 14 for a filtered or refused one, after printing the text received.
$ natter "a haiku" > haiku.txt || echo "exit code $?"

natter never prompts for input unless input and output are terminals; --no-input prevents it there, too. When the reader ends early, as head does, natter exits quietly.
$ natter "a story" | head -n 1`,
  privacy: `natter sends prompts only to the configured service: no telemetry, no update checks. To see a request and the source of each setting without sending it:
$ natter --dry-run "hello"
$ natter auth status

Before piped or attached text is sent to a different machine, natter looks for keys, tokens, passwords and private keys in it. On a terminal it asks; elsewhere it sends nothing and exits with 17. A typed prompt is not checked. --redact sends placeholders, and puts the secrets back in the answer; --allow-secrets sends the text as it is. The setting secret-guard is the default: ask, redact or off.
$ natter --redact -f notes.md "sum this up"
$ natter --allow-secrets < notes.md
$ natter config set secret-guard redact

Conversations are kept in the data folder (~/.local/share/natter), readable by you alone. Deleted ones stay in its trash folder until you remove them. To save nothing, once or always:
$ natter --no-save "hello"
$ natter config set save false

A ledger in the state folder has a line for each request, without any text: time, profile, model, tokens, how it ended. It is written even with --no-save. To see it, and to turn it off:
$ natter usage
$ natter config set ledger false

Input history and drafts are in the state folder (~/.local/state/natter), unless saving is off.

Settings and keys are in the configuration folder (~/.config/natter): keys in credentials.json, readable by you alone (mode 0600), not encrypted, and sent only to the address they were stored with. A key in NATTER_API_KEY is never stored; a password manager can print it each time. To delete a key:
$ natter auth logout
$ natter config set api-key-command "pass show natter"

A recording (--record, NATTER_RECORD) contains prompts and answers, but neither keys nor request headers; a new one is readable by you alone.

Keys are masked in all output, NATTER_DEBUG included, and not sent over plain http to another machine without --allow-insecure.

On Windows the folders are in %APPDATA% and %LOCALAPPDATA%; natter help environment lists the variables that move them. The sandbox (--sandbox) runs on this machine: nothing leaves it.`,
  profiles: `A profile is a named set of settings with its own key: one for each service, or one for each kind of work. The first is called default. Flags and environment variables override the profile (natter help settings).

natter auth login prompts for the address and key of a service and stores both; a server on this machine needs only an address. Naming a new profile creates it:
$ natter auth login --profile work
$ natter config set base-url http://127.0.0.1:8080 --profile local
$ natter config set model nextgen --profile work

A password manager can print the key instead of a stored one (docs/privacy.md):
$ natter config set api-key-command "pass show natter" --profile work

To use a profile once, for a script, and from now on:
$ natter --profile work "hello"
$ NATTER_PROFILE=work natter "hello"
$ natter config use work

To see the profiles, and the settings of one; natter auth status shows the service and key in use:
$ natter config profiles
$ natter config list --profile work

natter compare sends a prompt to models of several profiles, written profile:model:
$ natter compare -m origin,work:nextgen "name a colour"

To delete the key of a profile, or the profile and its key:
$ natter auth logout --profile work
$ natter config remove-profile work`,
  schema: `--schema asks for JSON, checks the answer and prints the value alone. The schema is a JSON Schema (a file or JSON), or a list of fields; a field has a type, ? if it may be missing, [] for a list, and a description after a colon. The types are string, int, number, bool, date, datetime, email, url, a|b for a choice, {…} for an object and […] for a list of objects.
$ natter --schema "name, age int" "invent a person"
$ natter --schema "[title, year? int, tags[]]" "three films" > films.json
$ natter --schema person.schema.json "invent a person" | jq .age

An answer that does not conform is asked for again, at most --schema-retries times (1); then natter exits with 13, and standard output stays empty. --select prints one value, --json the violations, too:
$ natter --schema "name, tags[]" --select /tags/0 "invent a person"

The schema is a part of the prompt. For a service that can enforce one, the setting response-format sends it in the field response_format, too:
$ natter config set response-format json_schema`,
  service: `Options of every command that uses a service, before or after its name.

{rows}

${durationNote}

Most of them are settings, too: natter help settings.`,
  settings: `A setting is a flag, else an environment variable, else a value of the profile (natter help profiles), else its default. natter auth status shows the source of each. api-key-command and secret-guard have no flag.

{rows}

${durationNote}

To show and change the values of the current profile, or of --profile <name>:
$ natter config list
$ natter config set model nextgen
$ natter config unset model`,
  troubleshooting: `A failure has one line for what happened and one for what to type next; its exit code names the cause (natter help exit-codes). To check settings, files, connection, key, models and one answer in one run, with what to do for each finding; --offline sends nothing:
$ natter doctor
$ natter doctor --offline

The service in use, the source of each setting, the request that would be sent, and each request, retry and response; keys are masked:
$ natter auth status
$ natter --dry-run "hello"
$ NATTER_DEBUG=1 natter "hello" 2> debug.log

To find out whether natter or the service is the cause, send the prompt to the built-in sandbox, which needs neither service, key nor network:
$ natter --sandbox "hello"

The key is rejected (exit code 4): enter it again with natter auth login. If NATTER_API_KEY is set, it overrides the stored key.

The service cannot be reached (10): check the address, and the proxy in HTTPS_PROXY and NO_PROXY. If your company has its own certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.
$ natter auth status --check
$ natter config set base-url https://api.example.com

The model does not exist (6): natter models list shows those of the service.
$ natter config set model nextgen

Too many requests (8): natter waits and retries. To retry more often and wait longer:
$ natter --retries 8 --retry-max-wait 5m "hello"

A slow model: raise the limit that the failure names, or remove it.
$ natter --first-byte-timeout 0 --idle-timeout 0 "hello"

An answer was cut (11): its text is kept; natter last prints it.

A prompt that is the name of a command, or starts with a dash, follows --:
$ natter -- models
$ natter -- "-1 + 1?"

A terminal that shows garbled text: without colour, without synchronized updates (NATTER_NO_SYNC=1), or as plain lines (--accessible).
$ natter --color never "hello"
$ natter --plain "hello"

To remove natter and all its files: natter help uninstall. To report a problem, attach the output of natter doctor, which contains no keys or user names, and the version details.
$ natter doctor > doctor.txt
$ natter --version --verbose`,
  uninstall: `To remove natter without a trace, first export the conversations that you want to keep, and print the folders in use, because variables can move them:
$ natter conversations export latest > conversation.md
$ natter config paths

Remove the program (a single executable: delete the file):
$ npm uninstall --global natter

Then remove the folders of settings and keys, conversations, prompt history, and compiled code. On Windows they are %APPDATA%\\natter and %LOCALAPPDATA%\\natter.
$ rm -rf ~/.config/natter ~/.local/share/natter
$ rm -rf ~/.local/state/natter ~/.cache/natter

In ~/.bashrc and ~/.zshrc, the scripts of natter completion and natter shell-init stand between marker comments, so sed can delete them; in ~/.zshrc, also delete the #compdef line. Delete lines that evaluate or source the scripts, and files of fish and PowerShell, by hand.
$ sed -i.bak '/^# natter .*: begin$/,/^# natter .*: end$/d' ~/.bashrc
$ sed -i.bak '/^#compdef natter$/d' ~/.zshrc

Files that you created elsewhere remain: exports, recordings, results of batches, prompt files of projects (.natter), and the copies that sed made (~/.bashrc.bak).`,
};

const meanings: Readonly<Record<FailureKind, string>> = {
  unexpected: 'a bug in natter, or an unknown failure',
  usage: 'the command line or the input is wrong',
  configuration: 'no service, a wrong setting, or no recorded answer',
  unauthorized: 'the key is missing or was rejected (401)',
  forbidden: 'the key may not use this model or action (403)',
  not_found: 'no such model or path (404), conversation or search hit',
  invalid_request: 'the request was rejected (400) or does not fit',
  rate_limited: 'too many requests (429), retries exhausted',
  server_error: 'the service failed (5xx, bad JSON), retries exhausted',
  unreachable: 'no connection, a timeout, or TLS failed',
  incomplete: 'the answer was cut; its text is kept',
  storage: 'a file or output could not be written',
  mismatch: 'the answer does not match --schema, --select or -x',
  no_answer: 'filtered, refused, or a tool call; its text is kept',
  budget: '--budget, --max-cost or --max-total-tokens is reached',
  truncated_prompt: 'with --strict: the service probably cut the prompt',
  secrets: 'piped or attached text has secrets; nothing was sent',
  unfinished: 'items of a batch are left; another run can help',
};

export const exitCodeRows: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'answered', 'the answer is complete (also finish_reason length)'],
  ...Object.entries(exitCodes).map(
    ([kind, code]) => [String(code), kind, meanings[kind as FailureKind]] as const,
  ),
  ['129', 'SIGHUP', 'the terminal was closed'],
  ['130', 'SIGINT', 'Ctrl+C'],
  ['143', 'SIGTERM', 'terminated'],
];

const keyPlaces = [
  ['composer', 'While typing:'],
  ['anywhere', 'Always:'],
  ['completion', 'In the completion menu:'],
  ['search', 'In the search of the prompt history:'],
  ['list', 'In the list of conversations:'],
] as const;

/** What replaces `{rows}` in a guide. */
const lists: Partial<Record<TopicName, (program: Command, help: Help) => string>> = {
  environment: (_program, help) =>
    environmentVariables
      .map(({ name, summary, default: value }) => {
        const ending = value === undefined ? '' : ` (default: ${value})`;
        const text = wrapHelp(summary + ending, help, 6).replaceAll('\n', '\n      ');
        return `  ${name}\n      ${text}`;
      })
      .join('\n'),
  'exit-codes': (_program, help) =>
    formatRows(
      exitCodeRows.map(([code, name, meaning]) => {
        return { term: `${code.padStart(3)}  ${name}`, description: meaning };
      }),
      help,
    ),
  keys: (_program, help) =>
    keyPlaces
      .map(([place, heading]) => {
        const bindings = keyBindings.filter(({ when }) => when === place);
        const rows = bindings.map(({ keys, summary }) => {
          return { term: keys.map(keyLabel).join(', '), description: summary };
        });
        return formatSection(heading, rows, help);
      })
      .join('\n\n'),
  service: (program, help) => formatSection('Service options:', serviceRows(program, help), help),
  settings: (_program, help) => formatRows(settingRows, help),
};

/** The text of `natter help <name>`; undefined if it is not the name of a topic. */
export function helpTopic(name: string, program: Command): string | undefined {
  const topic = topicNames.find((known) => known === name);
  if (topic === undefined) return undefined;
  const help = program.createHelp();
  const lines = guides[topic].split('\n').map((line) => {
    if (line === '{rows}') return lists[topic]?.(program, help) ?? '';
    return line.startsWith('$ ') ? `  ${line}` : wrapHelp(line, help);
  });
  return `${lines.join('\n')}\n`;
}
