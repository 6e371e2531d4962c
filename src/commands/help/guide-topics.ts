import { wrapText } from '../../terminal/text/wrap.ts';

/** Lines to type, and what they do. */
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

/** Indented lines of at most 80 columns. */
export function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  return wrapText(text, 80 - indent)
    .map((row) => margin + row)
    .join('\n');
}

/** `natter help piping`. */
export const pipingTopic = (): string => formatGuide(piping);

/** `natter help privacy`. */
export const privacyTopic = (): string => formatGuide(privacy);

/** Every line to type in these topics. */
export const guideLines: readonly string[] = [...piping, ...privacy].flatMap(
  ({ lines = [] }) => lines,
);
