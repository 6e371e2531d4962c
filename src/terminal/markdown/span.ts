import type { Look, Style } from '../style.ts';

/** How Markdown is shown on a terminal. */
export interface MarkdownLook {
  /** Without colour, the marks of the source stay. */
  readonly style: Style;
  /** The terminal opens links (OSC 8). */
  readonly hyperlinks: boolean;
  /** It is known to, so that the label of a link is shown without its address. */
  readonly hidesAddresses?: boolean;
  /** The terminal shows `•`, `│` and `─`, and mathematics. */
  readonly unicode: boolean;
}

/** A run of visible text with the same looks. A line end in it is a hard break. */
export interface Span {
  readonly text: string;
  readonly looks: readonly Look[];
  /** Its hyperlink (T6). */
  readonly link?: string;
}

const OSC8 = '\u001B]8;;';
const ST = '\u001B\\';

/** The spans with escape codes; each closes its own styles. */
export function paintSpans(spans: readonly Span[], style: Style): string {
  let output = '';
  for (const { text, looks, link } of spans) {
    const painted = looks.reduce((inner, look) => style[look](inner), text);
    output += link === undefined ? painted : OSC8 + link + ST + painted + OSC8 + ST;
  }
  return output;
}

export function visibleText(spans: readonly Span[]): string {
  let visible = '';
  for (const { text } of spans) visible += text;
  return visible;
}

export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && alike(last, span)) merged.splice(-1, 1, { ...last, text: last.text + span.text });
    else merged.push(span);
  }
  return merged;
}

function alike(one: Span, other: Span): boolean {
  return one.looks.join() === other.looks.join() && !one.link && !other.link;
}
