import type { TopicName } from './topic-names.ts';

/** A paragraph, and lines to type. */
export interface Passage {
  readonly text: string;
  readonly lines?: readonly string[];
}

/** Topics of `natter help` that are prose. */
export const guides: Partial<Readonly<Record<TopicName, readonly Passage[]>>> = {
  budget: [
    {
      text: 'A budget limits the tokens or the money of a profile in a day, a week or a month. A request that might exceed it is not sent, and natter exits with 15; from 80 % on, natter warns.',
      lines: ['natter config set budget 2M/day', 'natter --budget 500k/week "hello"'],
    },
    {
      text: 'A budget in money needs the prices of the models, for a million tokens of prompts and of answers:',
      lines: [
        'natter config set prices.nextgen "0.5/1.5 usd"',
        'natter config set budget "5usd/week"',
      ],
    },
    {
      text: 'The ledger has a line for each request, without any text. To see what was used, and what a batch may use at most:',
      lines: ['natter usage --since 7d --by model', 'natter batch --dry-run prompts.txt'],
    },
    {
      text: 'A single batch has limits, too: --max-total-tokens and --max-cost. It stops before it exceeds them, and the same command continues.',
    },
  ],
  inputs: [
    {
      text: '-f attaches a text file, a folder (without what .gitignore excludes), a pattern in quotes, an https: URL, or standard input (-). It is repeatable. Images and other files that are not text are refused.',
      lines: ['natter -f . "what does this do?"', 'natter -f "**/*.md" "what is open?"'],
    },
    {
      text: '--split sends a text that does not fit the window in pieces, and combines the answers; the same command again continues. --dry-run shows how many requests there are:',
      lines: [
        'natter --split auto -f book.txt "sum up"',
        'natter --split lines --dry-run "errors?" < log.txt',
      ],
    },
    {
      text: '--every answers input that grows in groups of lines, of seconds or of a size:',
      lines: ['tail -f app.log | natter --every 200l,30s "flag anomalies"'],
    },
    {
      text: '--fallback names the models that answer if the first one fails or is too small, each step with a line on standard error:',
      lines: ['natter --fallback nextgen "hello"'],
    },
    {
      text: 'A service that probably cut the prompt causes a warning; with --strict it is a failure (exit code 16). The setting window is for a server whose window natter does not know:',
      lines: ['natter config set window 8192'],
    },
  ],
  piping: [
    {
      text: 'Standard input is appended to the prompt byte for byte (without a byte order mark), or replaces {{stdin}} in the prompt or in --system. Without a prompt it is the prompt.',
      lines: [
        'git diff | natter "review this"',
        'printf "un, deux" | natter "translate {{stdin}} to English"',
        'natter < question.txt',
      ],
    },
    {
      text: 'The word -, or -f -, requires input; --no-stdin ignores it. For other encodings, use --stdin-encoding latin1.',
      lines: ['cat notes.md | natter "sum this up" -', 'natter --no-stdin "hello"'],
    },
    {
      text: 'Standard output is the answer as the service sent it, without styles; a line end is added if it has none (--raw adds nothing). Notices, progress and failures go to standard error; --quiet leaves only warnings and failures.',
      lines: ['natter "a haiku" > haiku.txt', 'natter --quiet "a haiku" | tr a-z A-Z'],
    },
    {
      text: '--json prints one document at the end, --jsonl each event as it happens, answer-finished or answer-failed last. Failures on standard error are JSON lines, too.',
      lines: ['natter --json "three names" | jq -r .content', 'natter --jsonl "three names"'],
    },
    {
      text: 'The exit code is 0 only for a complete answer (natter help exit-codes): 11 for a cut answer, 14 for a filtered or refused one, after printing the text received.',
      lines: ['natter "a haiku" > haiku.txt || echo "exit code $?"'],
    },
    {
      text: 'natter never prompts for input unless input and output are terminals; --no-input prevents it there, too. When the reader ends early, as head does, natter exits quietly.',
      lines: ['natter "a story" | head -n 1'],
    },
  ],
  privacy: [
    {
      text: 'natter sends prompts only to the configured service: no telemetry, no update checks. To see a request and the source of each setting without sending it:',
      lines: ['natter --dry-run "hello"', 'natter auth status'],
    },
    {
      text: 'Piped and attached text with keys, tokens, passwords or private keys is sent to a different machine only if you allow it; --redact sends placeholders instead (docs/privacy.md).',
      lines: ['natter --redact -f notes.md "sum this up"'],
    },
    {
      text: 'Conversations are kept in the data folder (~/.local/share/natter), readable by you alone. Deleted ones stay in its trash folder until you remove them. To save nothing, once or always:',
      lines: ['natter --no-save "hello"', 'natter config set save false'],
    },
    {
      text: 'A ledger in the state folder has a line for each request, without any text: time, profile, model, tokens, how it ended. It is written even with --no-save. To see it, and to turn it off:',
      lines: ['natter usage', 'natter config set ledger false'],
    },
    {
      text: 'Input history and drafts are in the state folder (~/.local/state/natter), unless saving is off.',
    },
    {
      text: 'Settings and keys are in the configuration folder (~/.config/natter): keys in credentials.json, readable by you alone (mode 0600), not encrypted, and sent only to the address they were stored with. A key in NATTER_API_KEY is never stored. To delete a key:',
      lines: ['natter config paths credentials', 'natter auth logout'],
    },
    {
      text: 'A recording (--record, NATTER_RECORD) contains prompts and answers, but neither keys nor request headers; a new one is readable by you alone.',
    },
    {
      text: 'Keys are masked in all output, NATTER_DEBUG included, and not sent over plain http to another machine without --allow-insecure.',
    },
    {
      text: 'On Windows the folders are in %APPDATA% and %LOCALAPPDATA%; natter help environment lists the variables that move them. The sandbox (--sandbox) runs on this machine: nothing leaves it.',
    },
  ],
  profiles: [
    {
      text: 'A profile is a named set of settings with its own key: one for each service, or one for each kind of work. The first is called default. Flags and environment variables override the profile (natter help settings).',
    },
    {
      text: 'natter auth login prompts for the address and key of a service and stores both; a server on this machine needs only an address. Naming a new profile creates it:',
      lines: [
        'natter auth login --profile work',
        'natter config set base-url http://127.0.0.1:8080 --profile local',
        'natter config set model nextgen --profile work',
      ],
    },
    {
      text: 'A password manager can print the key instead of a stored one (docs/privacy.md):',
      lines: ['natter config set api-key-command "pass show natter" --profile work'],
    },
    {
      text: 'To use a profile once, for a script, and from now on:',
      lines: [
        'natter --profile work "hello"',
        'NATTER_PROFILE=work natter "hello"',
        'natter config use work',
      ],
    },
    {
      text: 'To see the profiles, the settings of one, and the service and key in use:',
      lines: ['natter config profiles', 'natter config list --profile work', 'natter auth status'],
    },
    {
      text: 'natter compare sends a prompt to models of several profiles, written profile:model:',
      lines: ['natter compare -m origin,work:nextgen "name a colour"'],
    },
    {
      text: 'To delete the key of a profile, or the profile and its key:',
      lines: ['natter auth logout --profile work', 'natter config remove-profile work'],
    },
  ],
  schema: [
    {
      text: '--schema asks for JSON, checks the answer and prints the value alone. The schema is a JSON Schema (a file or JSON), or a list of fields; a field has a type, ? if it may be missing, [] for a list, and a description after a colon.',
      lines: [
        'natter --schema "name, age int" "invent a person"',
        'natter --schema "[title, year? int, tags[]]" "three films" > films.json',
        'natter --schema person.schema.json "invent a person" | jq .age',
      ],
    },
    {
      text: 'The types are string, int, number, bool, date, datetime, email, url, a|b for a choice, {…} for an object and […] for a list of objects.',
    },
    {
      text: 'An answer that does not conform is asked for again, at most --schema-retries times (1); then natter exits with 13, and standard output stays empty. --select prints one value, --json the violations, too:',
      lines: ['natter --schema "name, tags[]" --select /tags/0 "invent a person"'],
    },
    {
      text: 'The schema is a part of the prompt. For a service that can enforce one, the setting response-format sends it in the field response_format, too:',
      lines: ['natter config set response-format json_schema'],
    },
  ],
  secrets: [
    {
      text: 'Before piped or attached text is sent to a different machine, natter looks for keys, tokens, passwords and private keys in it. On a terminal it asks; elsewhere it sends nothing and exits with 17.',
    },
    {
      text: '--redact sends placeholders, and puts the secrets back in the answer; --allow-secrets sends the text as it is. A typed prompt is not checked.',
      lines: ['natter --redact -f notes.md "sum this up"', 'natter --allow-secrets < log.txt'],
    },
    {
      text: 'The setting secret-guard is the default: ask, redact or off.',
      lines: ['natter config set secret-guard redact'],
    },
    {
      text: 'For the key of a service: natter auth --help. A password manager can print it each time:',
      lines: ['natter config set api-key-command "pass show natter"'],
    },
  ],
  troubleshooting: [
    {
      text: 'A failure has one line for what happened and one for what to type next; its exit code names the cause (natter help exit-codes). To check settings, files, connection, key, models and one answer in one run, with what to do for each finding; --offline sends nothing:',
      lines: ['natter doctor', 'natter doctor --offline'],
    },
    {
      text: 'The service in use, the source of each setting, and the request that would be sent:',
      lines: ['natter auth status', 'natter --dry-run "hello"'],
    },
    {
      text: 'To find out whether natter or the service is the cause, send the prompt to the built-in sandbox, which needs neither service, key nor network:',
      lines: ['natter --sandbox "hello"'],
    },
    {
      text: 'To see each request, retry and response; keys are masked:',
      lines: ['NATTER_DEBUG=1 natter "hello" 2> debug.log'],
    },
    {
      text: 'The key is rejected (exit code 4): enter it again. A variable NATTER_API_KEY overrides a stored key.',
      lines: ['natter auth login'],
    },
    {
      text: 'The service cannot be reached (10): check the address, and the proxy in HTTPS_PROXY and NO_PROXY. For an authority of your company, NODE_EXTRA_CA_CERTS names its certificate file.',
      lines: ['natter auth status --check', 'natter config set base-url https://api.example.com'],
    },
    {
      text: 'The model does not exist (6):',
      lines: ['natter models list', 'natter config set model nextgen'],
    },
    {
      text: 'Too many requests (8): natter waits and retries. To retry more often and wait longer:',
      lines: ['natter --retries 8 --retry-max-wait 5m "hello"'],
    },
    {
      text: 'A slow model: raise the limit that the failure names, or remove it.',
      lines: ['natter --first-byte-timeout 0 --idle-timeout 0 "hello"'],
    },
    {
      text: 'An answer was cut (11): its text is kept. natter last prints it.',
      lines: ['natter last'],
    },
    {
      text: 'A prompt that is the name of a command, or starts with a dash, follows --:',
      lines: ['natter -- models', 'natter -- "-1 + 1?"'],
    },
    {
      text: 'A terminal that shows garbled text: without colour, without synchronized updates (NATTER_NO_SYNC=1), or as plain lines (--accessible).',
      lines: ['natter --color never "hello"', 'natter --plain "hello"'],
    },
    {
      text: 'To remove natter and all its files: natter help uninstall.',
    },
    {
      text: 'For a report: the page of natter doctor, which has no keys and no user names, and the details of the version.',
      lines: ['natter doctor > doctor.txt', 'natter --version --verbose'],
    },
  ],
  uninstall: [
    {
      text: 'To remove natter without a trace, first export the conversations that you want to keep, and print the folders in use, because variables can move them:',
      lines: ['natter conversations export latest > conversation.md', 'natter config paths'],
    },
    {
      text: 'Remove the program (a single executable: delete the file):',
      lines: ['npm uninstall --global natter'],
    },
    {
      text: 'Then remove the folders of settings and keys, conversations, prompt history, and compiled code. On Windows they are %APPDATA%\\natter and %LOCALAPPDATA%\\natter.',
      lines: [
        'rm -rf ~/.config/natter ~/.local/share/natter',
        'rm -rf ~/.local/state/natter ~/.cache/natter',
      ],
    },
    {
      text: 'The scripts of natter completion and natter shell-init have marks where they begin and end, which remove them from the start file of bash; zsh has a line more. A line that evaluates or sources them, and files of fish and PowerShell, are removed by hand.',
      lines: [
        "sed -i.bak '/^# natter .*: begin$/,/^# natter .*: end$/d' ~/.bashrc",
        "sed -i.bak '/^#compdef natter$/d' ~/.zshrc",
      ],
    },
    {
      text: 'Files that you created elsewhere remain: exports, recordings, results of batches, prompt files of projects (.natter), and the copies that sed made (~/.bashrc.bak).',
    },
  ],
};
