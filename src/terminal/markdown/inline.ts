import { Lexer, type Token, type Tokens } from 'marked';
import { decodeEntities } from '../../entities/decode-entities.ts';
import { formulaRows } from '../formula/load-formulas.ts';
import { sanitizeLine } from '../safety/sanitizer.ts';
import type { OwnPaints } from '../style.ts';
import type { Place } from './scan-state.ts';
import { visibleText, type Span, type SpanLook } from './span.ts';

export interface InlineOptions {
  /** Keep the source's marks (`**`, backticks), which is necessary without colour. */
  readonly marks: boolean;
  /** The terminal opens links (OSC 8). */
  readonly hyperlinks: boolean;
  /** The terminal is known to open links, so that the label of a link is enough. */
  readonly hidesAddresses: boolean;
  readonly own?: OwnPaints | undefined;
  /** The terminal shows mathematics. */
  readonly unicode: boolean;
}

type InlineToken =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Image
  | Tokens.Escape
  | Tokens.Br
  | Tokens.Text
  | Tokens.HTML;

/** Shared, because its only state between calls (the queue of blocks) is not used for inline text. */
const lexer = new Lexer({ gfm: true });

/** The spans of a piece of inline Markdown that can be parsed alone. They have all of its text; formulas are Unicode or as written. */
export function inlineSpans(
  source: string,
  options: InlineOptions,
  formulas: readonly Place[] = [],
): Span[] {
  if (formulas.length === 0) return markdownSpans(source, options);
  const hidden = hideFormulas(source, formulas, options.unicode);
  const shown = hidden.restore(markdownSpans(hidden.text, options));
  return shown ?? [{ text: source, looks: [] }];
}

function markdownSpans(source: string, options: InlineOptions): Span[] {
  const lead = /^\s*/.exec(source)?.[0] ?? '';
  const spans: Span[] = lead === '' ? [] : [{ text: lead, looks: [] }];
  addTokens(spans, lex(source.slice(lead.length)), [], options);
  return spans;
}

function lex(source: string): Token[] {
  try {
    return lexer.inlineTokens(source, []);
  } catch {
    // If the grammar fails, only the style is lost.
    return [{ type: 'text', raw: source, text: source }];
  }
}

const tilde: Tokens.Text = { type: 'text', raw: '~', text: '~' };

function addTokens(
  spans: Span[],
  tokens: readonly Token[],
  looks: readonly SpanLook[],
  options: InlineOptions,
): void {
  for (const token of tokens as readonly InlineToken[]) {
    const { raw } = token;
    // A single tilde usually means "about".
    if (token.type !== 'del' || raw.startsWith('~~')) addToken(spans, token, looks, options);
    else addTokens(spans, [tilde, ...token.tokens, tilde], looks, options);
  }
}

function addToken(
  spans: Span[],
  token: InlineToken,
  looks: readonly SpanLook[],
  options: InlineOptions,
): void {
  const add = (text: string, ...more: SpanLook[]) => {
    if (text !== '') spans.push({ text, looks: [...looks, ...more] });
  };
  const addMarked = (mark: string, children: readonly Token[], look: SpanLook) => {
    if (options.marks) add(mark);
    addTokens(spans, children, [...looks, look], options);
    if (options.marks) add(mark);
  };
  switch (token.type) {
    case 'strong':
      return addMarked(token.raw.slice(0, 2), token.tokens, 'bold');
    case 'em':
      return addMarked(token.raw.slice(0, 1), token.tokens, 'italic');
    case 'del':
      return addMarked('~~', token.tokens, 'strike');
    case 'codespan':
      return options.marks ? add(token.raw) : add(token.text, options.own?.code ? 'code' : 'cyan');
    case 'link':
      return addLink(spans, token, looks, options);
    case 'image':
      return addImage(spans, token, looks, options);
    case 'escape':
      return add(token.text);
    case 'br':
      return add('\n');
    case 'text':
      // Not `text`, in which the lexer has decoded numeric references, even `&#27;`.
      return add(withCharacters(token.raw));
    case 'html':
    default:
      return add(token.raw);
  }
}

/** T22: the address is visible, unless the terminal is known to open links and the label cannot be mistaken for it. */
function addLink(
  spans: Span[],
  token: Tokens.Link,
  looks: readonly SpanLook[],
  options: InlineOptions,
): void {
  const label: Span[] = [];
  const labelLooks = [...looks, options.own?.link ? ('link' as const) : ('underline' as const)];
  addTokens(label, token.tokens, labelLooks, options);
  const text = visibleText(label);
  const { href, title } = token;
  const opens = options.hyperlinks && isPrintableUrl(href);
  if (text === href && !title) {
    spans.push({ text, looks: labelLooks, ...(opens && { link: href }) });
  } else if ([`http://${text}`, `mailto:${text}`].includes(href) && !title) {
    spans.push(...label);
  } else if (options.hidesAddresses && opens && !title && !mayBeAddress(text)) {
    spans.push(...label.map((span) => ({ ...span, link: href })));
  } else {
    addTarget(spans, token, label, looks);
  }
}

/** The label is empty, or looks like an address, which may be a different one. */
function mayBeAddress(label: string): boolean {
  return label.trim() === '' || /[@:/\\]|[\p{L}\p{N}]\.\p{L}{2}/u.test(label);
}

function addImage(
  spans: Span[],
  token: Tokens.Image,
  looks: readonly SpanLook[],
  options: InlineOptions,
): void {
  const label: Span[] = [];
  addTokens(label, token.tokens, looks, options);
  addTarget(spans, token, label, looks);
}

function addTarget(
  spans: Span[],
  token: Tokens.Link | Tokens.Image,
  label: readonly Span[],
  looks: readonly SpanLook[],
): void {
  const target = [token.href, token.title ? `"${token.title}"` : ''].filter(Boolean).join(' ');
  if (sanitizeLine(target) !== target) {
    // The lexer decodes character references in addresses: the result must not control or hide anything.
    spans.push({ text: token.raw, looks });
    return;
  }
  spans.push(...label);
  if (target === '') return;
  spans.push({ text: `${label.length > 0 ? ' ' : ''}(${target})`, looks: [...looks, 'dim'] });
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
  if (!text.includes('&')) return text;
  return text.replace(reference, (written, decimal = Number.NaN, hexadecimal?: string) => {
    const character = decodeEntities(written);
    const code = hexadecimal === undefined ? Number(decimal) : parseInt(hexadecimal, 16);
    // HTML has other characters for the numbers of controls and surrogates.
    const isReplaced = !Number.isNaN(code) && character.codePointAt(0) !== code;
    return isReplaced || sanitizeLine(character) !== character ? written : character;
  });
}

/** Cannot be in the text, because the sanitizer removes it. For the lexer it is a letter. */
const formulaMark = '\u206F';

/** A text with marks in place of its formulas, for the lexer. */
interface HiddenFormulas {
  readonly text: string;
  /** The spans with the formulas again; undefined if one is missing. */
  restore(spans: readonly Span[]): Span[] | undefined;
}

function hideFormulas(
  source: string,
  formulas: readonly Place[],
  unicode: boolean,
): HiddenFormulas {
  let text = '';
  let at = 0;
  for (const [index, { from, to }] of formulas.entries()) {
    text += source.slice(at, from) + formulaMark + index + formulaMark;
    at = to;
  }
  text += source.slice(at);
  const written = formulas.map(({ from, to }) => {
    const tex = source.slice(from, to);
    return (unicode ? formulaRows(tex)?.join('; ') : undefined) ?? tex;
  });
  return {
    text,
    restore(spans) {
      const missing = new Set(written.keys());
      const restored = spans.map((span) => {
        const shown = span.text.replaceAll(
          new RegExp(`${formulaMark}(\\d+)${formulaMark}`, 'g'),
          (_, index) => {
            missing.delete(Number(index));
            return written[Number(index)] ?? '';
          },
        );
        return { ...span, text: shown };
      });
      return missing.size === 0 ? restored : undefined;
    },
  };
}
