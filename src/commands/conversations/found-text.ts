import type { FoundLine, FoundTurn } from '../../conversation/library/search.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Style } from '../../terminal/style.ts';

/** UTF-16 units shown around a hit in a long line. */
const around = 120;

/** The part of a long line around its first hit. */
function cut({ text, marks }: FoundLine): Pick<FoundLine, 'text' | 'marks'> {
  const first = marks[0]?.[0] ?? 0;
  const start = Math.max(0, first - around);
  const end = Math.min(text.length, first + 2 * around);
  const within = marks
    .filter(([from]) => from < end)
    .map(([from, to]) => [from - start, Math.min(to, end) - start] as const);
  return { text: text.slice(start, end), marks: within };
}

function marked(line: FoundLine, style: Style): string {
  const { text, marks } = line.text.length > 4 * around ? cut(line) : line;
  let shown = '';
  let at = 0;
  for (const [start, end] of marks) {
    const hit = sanitizeLine(text.slice(start, end));
    shown += sanitizeLine(text.slice(at, start)) + style.bold(style.red(hit));
    at = end;
  }
  return shown + sanitizeLine(text.slice(at));
}

const speakers = {
  user: 'you',
  assistant: 'answer',
  system: 'system',
  summary: 'summary',
} as const;

/** Lines of a turn for a terminal, with their numbers and the hits marked; gaps between them as `…`. */
export function foundTurnText({ role, lines }: FoundTurn, style: Style): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  let previous: number | undefined;
  const shown = lines.map((line) => {
    const gap = previous !== undefined && line.number > previous + 1 ? `  ${style.dim('…')}\n` : '';
    previous = line.number;
    return `${gap}  ${style.dim(String(line.number).padStart(width))}  ${marked(line, style)}\n`;
  });
  return `  ${style.dim(speakers[role])}\n${shown.join('')}\n`;
}

/** Lines of a turn for a pipe, tab-separated: conversation, turn, role, line number, `hit` or `context`, text. */
export function foundTurnRows(id: string, { turn, role, lines }: FoundTurn): string {
  return lines
    .map(({ number, text, marks }) => {
      const kind = marks.length > 0 ? 'hit' : 'context';
      return `${[id, turn, role, number, kind, sanitizeLine(text)].join('\t')}\n`;
    })
    .join('');
}
