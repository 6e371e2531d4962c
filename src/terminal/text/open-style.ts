/** The colours and links that are open at a place in a text: the sequences that opened them, in order. */
export type OpenStyle = readonly string[];

/** Sequences of the output that take no column: colours and attributes (SGR), links (OSC 8). */
export const styleSequence = /\u001B\[[\d;:]*m|\u001B\]8;[^\u0007\u001B]*(?:\u0007|\u001B\\)/g;

/** A style sequence, or the text between two of them. */
export interface Run {
  readonly text: string;
  readonly isStyle: boolean;
}

export function* styleRuns(text: string): Generator<Run, void> {
  let from = 0;
  for (const { 0: sequence, index } of text.matchAll(styleSequence)) {
    if (index > from) yield { text: text.slice(from, index), isStyle: false };
    yield { text: sequence, isStyle: true };
    from = index + sequence.length;
  }
  if (from < text.length) yield { text: text.slice(from), isStyle: false };
}

/** SGR codes (ECMA-48 8.3.117) by the one that ends them. */
const endedBy: readonly (readonly [end: number, isEnded: (code: number) => boolean])[] = [
  [22, (code) => code === 1 || code === 2],
  [23, (code) => code === 3],
  [24, (code) => code === 4],
  [29, (code) => code === 9],
  [39, (code) => (code >= 30 && code <= 38) || (code >= 90 && code <= 97)],
];

const isLink = (sequence: string) => sequence.startsWith('\u001B]');
const linkEnd = '\u001B]8;;\u001B\\';

function codeOf(sequence: string): number {
  return Number.parseInt(sequence.slice(2), 10) || 0;
}

/** The styles open after one more sequence; one that sets several attributes counts as its first. */
export function afterSequence(open: OpenStyle, sequence: string): OpenStyle {
  if (isLink(sequence)) {
    const others = open.filter((one) => !isLink(one));
    // OSC 8 with an empty address ends the link.
    return /;[^;]*;(?:\u0007|\u001B)/.exec(sequence)?.[0].length === 3
      ? others
      : [...others, sequence];
  }
  const code = codeOf(sequence);
  if (code === 0) return open.filter(isLink);
  const isEnded = endedBy.find(([end]) => end === code)?.[1];
  if (isEnded === undefined) return [...open.filter((one) => one !== sequence), sequence];
  return open.filter((one) => isLink(one) || !isEnded(codeOf(one)));
}

/** The sequences that end these styles, the last one first. */
export function closingSequences(open: OpenStyle): string {
  const closing = (sequence: string) => {
    if (isLink(sequence)) return linkEnd;
    const code = codeOf(sequence);
    return `\u001B[${endedBy.find(([, isEnded]) => isEnded(code))?.[0] ?? 0}m`;
  };
  return open.toReversed().map(closing).join('');
}
