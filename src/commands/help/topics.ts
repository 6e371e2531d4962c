import { exitCodes, type FailureKind } from '../../failure.ts';
import { environmentVariables } from '../../settings/environment-variables.ts';
import { wrapText } from '../../terminal/text/wrap.ts';

/** Indented lines of at most 80 columns. */
function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrapText(text, 80 - indent)
    .map((row) => margin + row)
    .join('\n');
}

/** A paragraph, and lines to type. */
interface Passage {
  readonly text: string;
  readonly lines?: readonly string[];
}

const formatPassage = ({ text, lines = [] }: Passage) =>
  [wrap(text, 0), ...lines.map((line) => `  $ ${line}`)].join('\n');

const formatGuide = (passages: readonly Passage[]) =>
  `${passages.map(formatPassage).join('\n\n')}\n`;

const piping: readonly Passage[] = [
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
    text: 'Standard output is exactly the answer as the service sent it, without an added line break or styles. Notices, progress and failures go to standard error; --quiet leaves only warnings and failures.',
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
];

const privacy: readonly Passage[] = [
  {
    text: 'natter sends prompts only to the configured service: no telemetry, no update checks. To see a request and the source of each setting without sending it:',
    lines: ['natter --dry-run "hello"', 'natter auth status'],
  },
  {
    text: 'Conversations are kept in the data folder (~/.local/share/natter), readable by you alone. Deleted ones stay in its trash folder until you remove them. To save nothing, once or always:',
    lines: ['natter --no-save "hello"', 'natter config set save false'],
  },
  {
    text: 'Input history and drafts are in the state folder (~/.local/state/natter), unless saving is off.',
  },
  {
    text: 'Settings and keys are in the configuration folder (~/.config/natter): keys in credentials.json, readable by you alone (mode 0600), not encrypted, and sent only to the address they were stored with. A key in NATTER_API_KEY is never stored. To delete a key:',
    lines: ['natter config path', 'natter auth logout'],
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
];

/** All lines to type in the guides. */
export const guideLines: readonly string[] = [...piping, ...privacy].flatMap(
  ({ lines = [] }) => lines,
);

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
  no_answer: 'filtered, refused, or a tool call; its text is kept',
};

const signals = [
  ['129', 'SIGHUP', 'the terminal was closed'],
  ['130', 'SIGINT', 'Ctrl-C'],
  ['143', 'SIGTERM', 'terminated'],
] as const;

/** Every exit code with its name and meaning, in order. */
export const exitCodeRows: readonly (readonly [code: string, name: string, meaning: string])[] = [
  ['0', 'answered', 'the answer is complete (also finish_reason length)'],
  ...Object.entries(exitCodes).map(
    ([kind, code]) => [String(code), kind, meanings[kind as FailureKind]] as const,
  ),
  ...signals,
];

function exitCodesTopic(): string {
  const rows = exitCodeRows.map(
    ([code, name, meaning]) => `  ${code.padStart(3)}  ${name.padEnd(16)} ${meaning}`,
  );
  return [
    'Exit codes, by cause. With --json or --jsonl the name is the field "kind" of the',
    'error line on standard error.',
    '',
    ...rows,
    '',
    'natter batch exits with 0 if every item is answered, with the code of the cause',
    'if all failures share one, else with 1. Stopped early by SIGUSR1, it exits with',
    '11.',
    '',
    'Commands exit with 6 if the named model, conversation, answer, code block or',
    'setting value does not exist, or a search has no hit. An empty list and a change',
    'that is already in effect exit with 0.',
    '',
    'If the reader closes standard output early, as in natter … | head -1, natter',
    'exits with 0.',
    '',
  ].join('\n');
}

function environmentTopic(): string {
  const rows = environmentVariables.map(({ name, summary, default: value }) => {
    const ending = value === undefined ? '' : ` (default: ${value})`;
    return `  ${name}\n${wrap(summary + ending, 6)}`;
  });
  return [
    'Environment variables. Flags override variables, variables override the profile;',
    'an empty variable counts as unset.',
    '',
    ...rows,
    '',
  ].join('\n');
}

/** Texts of `natter help <topic>`. */
export const helpTopics: ReadonlyMap<string, () => string> = new Map([
  ['environment', environmentTopic],
  ['exit-codes', exitCodesTopic],
  ['piping', () => formatGuide(piping)],
  ['privacy', () => formatGuide(privacy)],
]);
