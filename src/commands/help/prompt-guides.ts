// Topics about what is sent and what comes back.

import type { Passage } from './topic-text.ts';

export const budget: readonly Passage[] = [
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
];

export const inputs: readonly Passage[] = [
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
];

export const schema: readonly Passage[] = [
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
];

export const secrets: readonly Passage[] = [
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
];
