import { decodeHTMLStrict } from 'entities/decode';
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { sanitizeLine } from '../safety/sanitizer.ts';
import type { Look, Style } from '../style.ts';
import { Paragraph, type Place, type ReadPiece } from './paragraph.ts';
import { formulaRows } from '../formula.ts';

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

export const visibleText = (spans: readonly Span[]): string =>
  spans.map(({ text }) => text).join('');

export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    const isAlike = last?.looks.join() === span.looks.join() && !last.link && !span.link;
    if (last && isAlike) merged.splice(-1, 1, { ...last, text: last.text + span.text });
    else merged.push(span);
  }
  return merged;
}

/** The text with its formulas, and what is between them, changed. */
export function mapFormulas(
  source: string,
  formulas: readonly Place[],
  change: (formula: string) => string,
  changeText = (text: string) => text,
): string {
  let at = 0;
  let changed = '';
  for (const { from, to } of formulas) {
    changed += changeText(source.slice(at, from)) + change(source.slice(from, to));
    at = to;
  }
  return changed + changeText(source.slice(at));
}

/** A text in which every mark of Markdown is escaped. */
export const escapeMarks = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

type InlineToken = Extract<
  MarkedToken,
  {
    type: keyof typeof emphasis | 'codespan' | 'link' | 'image' | 'escape' | 'br' | 'text' | 'html';
  }
>;

/** Shared, because its only state between calls (the queue of blocks) is not used for inline text. */
const lexer = new Lexer({ gfm: true });

/** The tokens of a piece of inline Markdown. */
export function lexInline(source: string): Token[] {
  try {
    return lexer.inlineTokens(source, []);
  } catch {
    // If the grammar fails, the marks stay.
    return [{ type: 'text', raw: source, text: source }];
  }
}

const tilde: Tokens.Text = { type: 'text', raw: '~', text: '~' };

function spansOf(tokens: readonly Token[], looks: readonly Look[], options: MarkdownLook): Span[] {
  return (tokens as readonly InlineToken[]).flatMap((token) => spansOfToken(token, looks, options));
}

function textSpan(text: string, looks: readonly Look[]): Span[] {
  return text === '' ? [] : [{ text, looks }];
}

function spansOfToken(token: InlineToken, looks: readonly Look[], options: MarkdownLook): Span[] {
  const { raw } = token;
  const { style } = options;
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del': {
      // A single tilde usually means "about".
      const isAbout = token.type === 'del' && !raw.startsWith('~~');
      if (isAbout) return spansOf([tilde, ...token.tokens, tilde], looks, options);
      const { look, markLength } = emphasis[token.type];
      const mark = textSpan(style.colored ? '' : raw.slice(0, markLength), looks);
      return [...mark, ...spansOf(token.tokens, [...looks, look], options), ...mark];
    }
    case 'codespan':
      if (!style.colored) return textSpan(raw, looks);
      return textSpan(token.text, [...looks, 'code']);
    case 'link':
      return linkSpans(token, looks, options);
    case 'image':
      return withTarget(token, spansOf(token.tokens, looks, options), looks);
    case 'escape':
      return textSpan(token.text, looks);
    case 'br':
      return textSpan('\n', looks);
    case 'text':
      // Not `text`, in which the lexer has decoded numeric references, even `&#27;`.
      return textSpan(withCharacters(raw), looks);
    case 'html':
    default:
      return textSpan(raw, looks);
  }
}

const emphasis = {
  strong: { look: 'bold', markLength: 2 },
  em: { look: 'italic', markLength: 1 },
  del: { look: 'strikethrough', markLength: 2 },
} as const;

/** T22: the address is visible, unless the terminal is known to open links and the label cannot be mistaken for it. */
function linkSpans(token: Tokens.Link, looks: readonly Look[], options: MarkdownLook): Span[] {
  const label = spansOf(token.tokens, [...looks, 'link'], options);
  const text = visibleText(label);
  const { href, title } = token;
  const opens = options.hyperlinks && isPrintableUrl(href);
  if (text === href && !title) {
    return [{ text, looks: [...looks, 'link'], ...(opens && { link: href }) }];
  }
  if ([`http://${text}`, `mailto:${text}`].includes(href) && !title) return label;
  if (options.hidesAddresses === true && opens && !title && !mayBeAddress(text)) {
    return label.map((span) => ({ ...span, link: href }));
  }
  return withTarget(token, label, looks);
}

/** The label is empty, or looks like an address, which may be a different one. */
function mayBeAddress(label: string): boolean {
  return label.trim() === '' || /[@:/\\]|[\p{L}\p{N}]\.\p{L}{2}/u.test(label);
}

function withTarget(
  { href, title, raw }: Tokens.Link | Tokens.Image,
  label: readonly Span[],
  looks: readonly Look[],
): Span[] {
  const target = [href, title ? `"${title}"` : ''].filter(Boolean).join(' ');
  // The lexer decodes character references in addresses: the result must not control or hide anything.
  if (sanitizeLine(target) !== target) return [{ text: raw, looks }];
  const shown = target && `${label.length > 0 ? ' ' : ''}(${target})`;
  return [...label, ...textSpan(shown, [...looks, 'dim'])];
}

/** Terminals ignore links beyond this length. */
const maxUrl = 2000;

/** An address that shows what it is: without other schemes, hidden characters and encoded names of hosts. */
function isPrintableUrl(url: string): boolean {
  if (url.length > maxUrl || /\/\/(?:[^/]*[@.])?xn--/i.test(url)) return false;
  return /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/i.test(url);
}

const reference = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|[a-zA-Z][a-zA-Z\d]{1,31});/g;

/** A reference to a control or hidden character stays as written: `&#27;` must not undo the sanitizer. */
export function withCharacters(text: string): string {
  return text.replace(reference, (written, decimal = Number.NaN, hexadecimal?: string) => {
    const character = decodeHTMLStrict(written);
    const code = hexadecimal === undefined ? Number(decimal) : parseInt(hexadecimal, 16);
    // HTML has other characters for the numbers of controls and surrogates.
    const isReplaced = !Number.isNaN(code) && character.codePointAt(0) !== code;
    return isReplaced || sanitizeLine(character) !== character ? written : character;
  });
}

/** Reads a piece as spans that have all of its text; formulas are Unicode or as written. */
export function readSpans(options: MarkdownLook): ReadPiece<Span> {
  const shown = (tex: string) =>
    escapeMarks((options.unicode ? formulaRows(tex)?.join('; ') : undefined) ?? tex);
  return (source, formulas) => {
    if (formulas === undefined) return textSpan(source, []);
    const all = mapFormulas(source, formulas, shown);
    const text = all.trimStart();
    const lead = all.slice(0, all.length - text.length);
    const spans = [...textSpan(lead, []), ...spansOf(lexInline(text), [], options)];
    return formulas.length === 0 ? spans : mergeSpans(spans);
  };
}

/** The spans of a whole text, for headings and cells. */
export function inlineText(source: string, options: MarkdownLook): readonly Span[] {
  return new Paragraph(readSpans(options)).whole(source);
}
