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
    text: 'Standard input goes along after the prompt, byte for byte but for a byte order mark, or in place of {{stdin}} in the prompt or in --system. Without a prompt it is the prompt.',
    lines: [
      'git diff | natter "review this"',
      'printf "un, deux" | natter "translate {{stdin}} to English"',
      'natter < question.txt',
    ],
  },
  {
    text: 'The word -, or -f -, fails where no input comes; --no-stdin leaves input alone. Input of another encoding is named: --stdin-encoding latin1.',
    lines: ['cat notes.md | natter "sum this up" -', 'natter --no-stdin "hello"'],
  },
  {
    text: 'Standard output is the answer as the service sent it, with no line break added, and nothing else. Notices, progress and failures go to standard error; --quiet leaves only warnings and failures. Into a pipe nothing is styled.',
    lines: ['natter "a haiku" > haiku.txt', 'natter --quiet "a haiku" | tr a-z A-Z'],
  },
  {
    text: '--json prints one document when the prompt has ended, --jsonl each event when it happens, the last one answer-finished or answer-failed. Failures are JSON lines on standard error, too.',
    lines: ['natter --json "three names" | jq -r .content', 'natter --jsonl "three names"'],
  },
  {
    text: 'The exit code says what happened (natter help exit-codes): 0 only for a whole answer. An answer that was cut exits with 11, one that was filtered or refused with 14, after the text that was received.',
    lines: ['natter "a haiku" > haiku.txt || echo "exit code $?"'],
  },
  {
    text: 'natter never asks a question where input or output is not a terminal; --no-input says so on a terminal. A reader that ends early, such as head, ends natter quietly.',
    lines: ['natter "a story" | head -n 1'],
  },
];

const privacy: readonly Passage[] = [
  {
    text: 'natter sends prompts to the one service that is configured, and to no one else: no telemetry, no search for updates. What a request holds, and who said so, is shown without sending it:',
    lines: ['natter --dry-run "hello"', 'natter auth status'],
  },
  {
    text: 'Conversations are kept in the data folder (~/.local/share/natter), readable by you alone. Deleted ones wait in its folder trash until you remove them there. To keep nothing, once or always:',
    lines: ['natter --no-save "hello"', 'natter config set save false'],
  },
  {
    text: 'What you typed in a conversation, for the up arrow, and drafts are in the state folder (~/.local/state/natter), and only while conversations are kept.',
  },
  {
    text: 'Settings and keys are in the configuration folder (~/.config/natter): keys in credentials.json, readable by you alone (mode 0600) and not encrypted, each sent only to the address it was stored with. A key in NATTER_API_KEY is never written down. To forget a key:',
    lines: ['natter config path', 'natter auth logout'],
  },
  {
    text: 'A recording (--record, NATTER_RECORD) holds prompts and answers as they were, but neither keys nor request headers; a new one is readable by you alone.',
  },
  {
    text: 'Keys are masked in all that natter prints, NATTER_DEBUG included. They are not sent over plain http to another machine unless --allow-insecure says so.',
  },
  {
    text: 'On Windows the folders are in %APPDATA% and %LOCALAPPDATA%; natter help environment names the variables that move them. The sandbox, --sandbox, runs on this machine: nothing leaves it.',
  },
];

/** Lines of at most 80 columns; for words of plain ASCII. */
export function wrap(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  const lines = text.match(new RegExp(String.raw`\S.{0,${79 - indent}}(?=\s|$)`, 'g')) ?? [];
  return lines.map((line) => margin + line.trimEnd()).join('\n');
}

/** `natter help piping`. */
export const pipingTopic = (): string => formatGuide(piping);

/** `natter help privacy`. */
export const privacyTopic = (): string => formatGuide(privacy);

/** Every line to type in these topics. */
export const guideLines: readonly string[] = [...piping, ...privacy].flatMap(
  ({ lines = [] }) => lines,
);
