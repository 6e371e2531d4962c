// docs/messages.md: all messages of natter, for review.
import { replHints } from '../../../src/repl/text/remedy-hints.ts';
import { exitCodes, type FailureKind, type RemedyCode } from '../../../src/failure.ts';
import { commandHints } from '../../../src/commands/program/report.ts';
import { commonHints } from '../../../src/output/remedy-hints.ts';
import type { Messages, Notice } from './collect.ts';
import { type FailureMessage, remedyHint } from './failure-message.ts';
import { exampleOf } from './examples.ts';

/** A code span, in which `<name>` and Markdown characters are literal. */
function code(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ').trim();
  if (line === '') return '';
  return (line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``).replaceAll('|', '\\|');
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = `| ${heads.map(() => '---').join(' | ')} |\n`;
  return `${row(heads)}${line}${rows.map(row).join('')}`;
}

const byMessage = (left: { readonly message: string }, right: { readonly message: string }) =>
  left.message < right.message ? -1 : Number(left.message > right.message);

const mostHints = 4;

function failureRows(failures: readonly FailureMessage[]) {
  return [...failures].sort(byMessage).map(({ message, hints, example }) => {
    const [hint = ''] = hints;
    const shown = hints.length > mostHints ? [...hints.slice(0, mostHints), '…'] : hints;
    return [code(message), shown.map(code).join(' or '), code(example ?? exampleOf(message, hint))];
  });
}

function failureSection(
  failures: readonly FailureMessage[],
  kind: FailureKind | undefined,
): string {
  const chosen = failures.filter((failure) => failure.kind === kind);
  if (chosen.length === 0) return '';
  const title =
    kind === undefined ? 'The kind of the cause' : `\`${kind}\` (exit code ${exitCodes[kind]})`;
  return `\n### ${title}\n\n${table(['message', 'hint', 'example'], failureRows(chosen))}`;
}

const noticeTitles: Readonly<Record<Notice['type'], string>> = {
  warning: 'Warnings',
  notice: 'Notices',
  entry: 'Entries of the REPL',
};

function noticeSection(notices: readonly Notice[], type: Notice['type']): string {
  const rows = notices
    .filter((notice) => notice.type === type)
    .sort(byMessage)
    .map(({ message }) => [code(message), code(exampleOf(message, ''))]);
  return `\n## ${noticeTitles[type]}\n\n${table(['text', 'example'], rows)}`;
}

/** Placeholders for the data of remedies. */
const data = {
  limit: 'idleTimeout',
  time: '<time>',
  seconds: '<seconds>',
  scheme: 'https',
  baseUrl: 'https://api.example.com',
  variable: '<variable>',
  port: '<port>',
  option: '<option>',
  isInTrash: false,
  name: 'WORD',
  file: '<file>',
};

/** docs/remedies.md, to which the guide of the client library refers. */
export function remediesMarkdown(): string {
  const codes = Object.keys({ ...commonHints, ...commandHints }).sort() as RemedyCode[];
  const inRepl = replHints as Readonly<Record<string, ((data: object) => string) | undefined>>;
  const rows = codes.map((name) => {
    const words = remedyHint(name, data);
    return [name, words, inRepl[name]?.(data) ?? words].map(code);
  });
  return `# Remedies\n\nGenerated from the source by \`npm run reference\`. The hints of failures that the command line and the REPL share.\n\n${table(['code', 'command line', 'REPL'], rows)}`;
}

const introduction = `# Messages

Generated from the source by \`npm run reference\`, for a review of the language. \`<name>\` is a value known only at run
time. A failure is shown as \`natter: <message>\`, with the hint on the next line.
The hints that the command line and the REPL share are in [remedies.md](remedies.md).
`;

/** The whole document; `messages` are those of src. */
export function messagesMarkdown({ failures, notices }: Messages): string {
  const kinds = [...(Object.keys(exitCodes) as FailureKind[]), undefined];
  const sections = kinds.map((kind) => failureSection(failures, kind)).join('');
  const noticeSections = (['warning', 'notice', 'entry'] as const)
    .map((type) => noticeSection(notices, type))
    .join('');
  return `${introduction}\n## Failures\n${sections}${noticeSections}`;
}
