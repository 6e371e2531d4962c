import { decodeHTMLStrict } from 'entities/decode';
import { Lexer, type Token, type Tokens } from 'marked';
import { sanitizeLine } from '../safety/sanitizer.ts';
import {
  type Place,
  endScan,
  scan,
  takeFormulas,
  initialScan,
  type ScanState,
} from './inline-scanner.ts';
import { type MarkdownLook, plainSpan, visibleText, type Span, type SpanLook } from './span.ts';
import { formulaRows } from '../formula.ts';

/** Cannot be in the text, because the sanitizer removes it. For the lexer it is a letter. */
const formulaMark = '\u206F';
const hiddenFormula = new RegExp(`${formulaMark}(\\d+)${formulaMark}`, 'g');

/** A text with marks in place of its formulas, for the lexer. */
function hideFormulas(source: string, formulas: readonly Place[], unicode: boolean) {
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
    /** The spans with the formulas again; undefined if one is missing. */
    restore(spans: readonly Span[]): Span[] | undefined {
      const missing = new Set(written.keys());
      const restored = spans.map((span) => {
        const shown = span.text.replaceAll(hiddenFormula, (_, index) => {
          missing.delete(Number(index));
          return written[Number(index)] ?? '';
        });
        return { ...span, text: shown };
      });
      return missing.size === 0 ? restored : undefined;
    },
  };
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
function inlineSpans(
  source: string,
  options: MarkdownLook,
  formulas: readonly Place[] = [],
): Span[] {
  if (formulas.length === 0) return markdownSpans(source, options);
  const hidden = hideFormulas(source, formulas, options.unicode);
  const shown = hidden.restore(markdownSpans(hidden.text, options));
  return shown ?? [plainSpan(source)];
}

function markdownSpans(source: string, options: MarkdownLook): Span[] {
  const text = source.trimStart();
  const lead = source.length - text.length;
  const spans = lead === 0 ? [] : [plainSpan(source.slice(0, lead))];
  addTokens(spans, lexInline(text), [], options);
  return spans;
}

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

function addTokens(
  spans: Span[],
  tokens: readonly Token[],
  looks: readonly SpanLook[],
  options: MarkdownLook,
): void {
  for (const token of tokens as readonly InlineToken[]) {
    const { raw } = token;
    // A single tilde usually means "about".
    if (token.type !== 'del' || raw.startsWith('~~')) addToken(spans, token, looks, options);
    else addTokens(spans, [tilde, ...token.tokens, tilde], looks, options);
  }
}

function addText(spans: Span[], text: string, looks: readonly SpanLook[]): void {
  if (text !== '') spans.push({ text, looks });
}

function addToken(
  spans: Span[],
  token: InlineToken,
  looks: readonly SpanLook[],
  options: MarkdownLook,
): void {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return addMarked(spans, token, looks, options);
    case 'codespan':
      if (!options.style.colored) return addText(spans, token.raw, looks);
      return addText(spans, token.text, [...looks, options.style.own?.code ? 'code' : 'cyan']);
    case 'link':
      return addLink(spans, token, looks, options);
    case 'image':
      return addImage(spans, token, looks, options);
    case 'escape':
      return addText(spans, token.text, looks);
    case 'br':
      return addText(spans, '\n', looks);
    case 'text':
      // Not `text`, in which the lexer has decoded numeric references, even `&#27;`.
      return addText(spans, withCharacters(token.raw), looks);
    case 'html':
    default:
      return addText(spans, token.raw, looks);
  }
}

const emphasis = {
  strong: { look: 'bold', markLength: 2 },
  em: { look: 'italic', markLength: 1 },
  del: { look: 'strike', markLength: 2 },
} as const;

function addMarked(
  spans: Span[],
  { type, raw, tokens }: Tokens.Strong | Tokens.Em | Tokens.Del,
  looks: readonly SpanLook[],
  options: MarkdownLook,
): void {
  const { look, markLength } = emphasis[type];
  const mark = !options.style.colored ? raw.slice(0, markLength) : '';
  addText(spans, mark, looks);
  addTokens(spans, tokens, [...looks, look], options);
  addText(spans, mark, looks);
}

/** T22: the address is visible, unless the terminal is known to open links and the label cannot be mistaken for it. */
function addLink(
  spans: Span[],
  token: Tokens.Link,
  looks: readonly SpanLook[],
  options: MarkdownLook,
): void {
  const label: Span[] = [];
  const labelLooks = [
    ...looks,
    options.style.own?.link ? ('link' as const) : ('underline' as const),
  ];
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
  options: MarkdownLook,
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
    const character = decodeHTMLStrict(written);
    const code = hexadecimal === undefined ? Number(decimal) : parseInt(hexadecimal, 16);
    // HTML has other characters for the numbers of controls and surrogates.
    const isReplaced = !Number.isNaN(code) && character.codePointAt(0) !== code;
    return isReplaced || sanitizeLine(character) !== character ? written : character;
  });
}

const mark = /[\\`*_~[\]<&@/.$]/;

/** Reads a piece of inline Markdown that can be read alone; without `formulas` it is plain text. */
export type ReadPiece<Part> = (
  text: string,
  formulas: readonly Place[] | undefined,
) => readonly Part[];

export const readSpans =
  (options: MarkdownLook): ReadPiece<Span> =>
  (text, formulas) =>
    formulas === undefined ? [plainSpan(text)] : inlineSpans(text, options, formulas);

/** The spans of a whole text, for headings and cells. */
export function inlineText(source: string, options: MarkdownLook): readonly Span[] {
  if (source !== '' && !mark.test(source)) return [plainSpan(source)];
  return new Paragraph(readSpans(options)).whole(source);
}

/** Inline Markdown of one paragraph, which arrives in any pieces. */
export class Paragraph<Part> {
  readonly #read: ReadPiece<Part>;
  readonly #scanned: ScanState = initialScan();
  /** White space at the end of the line, shown only if something follows. */
  #trail = '';
  /** A line break that nothing has followed yet. */
  #lineBreak = '';
  endedLines = 0;
  /** The source of the first line, which may be the header of a table. */
  firstLine = '';

  constructor(read: ReadPiece<Part>) {
    this.#read = read;
  }

  /** The parts of a whole text. */
  whole(source: string): Part[] {
    return [...this.#writeAll(source), ...this.end()];
  }

  /** Takes a part of the current line, without its indentation. @returns the parts that further text can no longer change */
  write(text: string): Part[] {
    if (this.endedLines === 0) this.firstLine += text;
    // A pattern for the end would be tried at each space, which takes quadratic time.
    let end = text.length;
    while (end > 0 && /[ \t]/.test(text.charAt(end - 1))) end -= 1;
    if (end === 0) {
      this.#trail += text;
      return [];
    }
    const before = this.#lineBreak + this.#trail;
    this.#trail = text.slice(end);
    this.#lineBreak = '';
    return this.#writeAll(before + text.slice(0, end));
  }

  endLine(): void {
    this.#lineBreak = '\n';
    this.#trail = '';
    this.endedLines += 1;
  }

  /** The rest. */
  end(): Part[] {
    endScan(this.#scanned);
    return this.#take();
  }

  undecided(): string {
    return this.#scanned.text.slice(this.#scanned.start) + this.#trail;
  }

  /** A displayed formula (`$$`, `\[`) may be open; the next line then belongs to it. */
  isInFormula(): boolean {
    return this.#scanned.isInDisplay;
  }

  /** Its only line has a bar, so it may be a table's header that was written as text. */
  mayBeHeader(): boolean {
    return this.endedLines === 1 && this.firstLine.includes('|');
  }

  #writeAll(text: string): Part[] {
    scan(this.#scanned, text);
    return this.#take();
  }

  #take(): Part[] {
    const scanned = this.#scanned;
    const parts = scanned.decided.flatMap((piece) => {
      const text = scanned.text.slice(piece.from, piece.to);
      return this.#read(text, piece.plain ? undefined : takeFormulas(scanned, piece));
    });
    scanned.decided = [];
    return parts;
  }
}
