// Inline Markdown as text: without its marks, links with their addresses, formulas as TeX.
import type { Token, Tokens } from 'marked';
import { lexInline, withCharacters } from './inline.ts';
import { sanitizeLine } from '../safety/sanitizer.ts';

/** Code spans, which are skipped, and formulas: `$$…$$`, `\(…\)`, `\[…\]`, and `$…$` by pandoc's rule. */
const formula =
  /(`+)(?!`)[^]*?[^`]\1(?!`)|\\\\|\$\$([^$]{1,4000})\$\$|\\\(([^]{0,1000}?)\\\)|\\\[([^]{0,4000}?)\\\]|(?<![\\$\w])\$(?![\s$])([^$\n]{0,399}[^\s$\\])\$(?![\d$])/g;

/** Tags that change only the look of their content. */
const lookTag =
  /^<\/?(?:kbd|b|i|em|strong|u|s|sub|sup|mark|small|span|code|center|summary|details|p|div)(?:\s[^<>]*)?>$/i;
const breakTag = /^<(?:br|hr|wbr)\s*\/?>$/i;

const escaped = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** Words between two dollar signs, as in "from 5$ to 10$". */
const isText = (found: string) => /\s/.test(found) && !/[\\^_={}+*/<>|]/.test(found);

function withFormulas(source: string): string {
  if (!/[$\\]/.test(source)) return source;
  return source.replaceAll(formula, (written, _code, ...parts: unknown[]) => {
    const found = parts.slice(0, 4).find((part) => typeof part === 'string');
    if (typeof found !== 'string' || (/^\$(?!\$)/.test(written) && isText(found))) return written;
    return escaped(found.trim());
  });
}

/** `[^1]` is "(note 1)", `[text][1]` is "text (link 1)". */
function withNotes(text: string): string {
  return text.includes('[')
    ? text
        .replaceAll(/ ?\[\^([^\][\s]+)\]/g, ' (note $1)')
        .replaceAll(/\[([^\][]+)\]\[([^\][]+)\]/g, '$1 (link $2)')
    : text;
}

function linkText(token: Tokens.Link | Tokens.Image): string {
  const label = token.type === 'image' ? token.text : tokensText(token.tokens);
  const target = [token.href, token.title ?? ''].filter((part) => part !== '').join(', ');
  // The lexer decodes character references in addresses: the result must not control or hide anything.
  if (sanitizeLine(target) !== target) return token.raw;
  if (token.type === 'image') return `(image: ${[label, target].filter(Boolean).join(', ')})`;
  const isAddress = [label, `http://${label}`, `mailto:${label}`].includes(target);
  return isAddress || target === '' ? label : `${label} (link: ${target})`;
}

function tokenText(token: Token): string {
  switch (token.type) {
    case 'strong':
    case 'em':
      return tokensText(token.tokens ?? []);
    case 'del': {
      const text = tokensText(token.tokens ?? []);
      // A single tilde usually means "about".
      return token.raw.startsWith('~~') ? `(deleted: ${text})` : `~${text}~`;
    }
    case 'codespan':
    case 'escape':
      return (token as Tokens.Codespan).text;
    case 'link':
    case 'image':
      return linkText(token as Tokens.Link);
    case 'br':
      return '\n';
    case 'html':
      if (breakTag.test(token.raw)) return '\n';
      return lookTag.test(token.raw) ? '' : token.raw;
    default:
      return withNotes(withCharacters(token.raw));
  }
}

function tokensText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join('');
}

/** A piece of inline Markdown as text. Line ends stay. */
export function spokenInline(source: string): string {
  return tokensText(lexInline(withFormulas(source)));
}

/** Runs of asterisks, except those between spaces: `3 * 4`. */
const asterisks = /(?<![\s*])\*+|\*+(?![\s*])/g;

/** The marks of a text that are still open at its end, so that the text cannot be read alone. */
function hasOpenMark(text: string): boolean {
  const bare = text.replaceAll(/\\[^()[\]]|(`+)[^`]+\1/g, '');
  const odd = (mark: RegExp) => (bare.match(mark)?.length ?? 0) % 2 === 1;
  if ([/`/g, asterisks, /(?<!\w)_|_(?!\w)/g, /~~/g, /\$\$/g].some(odd)) return true;
  const count = (mark: RegExp) => bare.match(mark)?.length ?? 0;
  return (
    count(/(?<!\\)\[/g) > count(/(?<!\\)\]/g) ||
    count(/\\[([]/g) > count(/\\[)\]]/g) ||
    /\]\([^)]*$/.test(bare) ||
    /\$[^$\s\d][^$\n]*$/.test(bare.replaceAll('$$', '').replaceAll(/\$[^$\n]*\$/g, ''))
  );
}

const sentenceEnd = /[.!?:…。！？]["'”’)\]*_`]*(?:\s+|(?<=[。！？])(?=.))|\n/g;

/**
 * The length of the first sentence or line that later text cannot change, or 0; and where the next search may begin, when
 * there is more text.
 * @param from the place up to which an earlier search has searched the start of the same text
 */
export function findSentence(text: string, from: number) {
  let searched = from;
  sentenceEnd.lastIndex = from;
  for (const { index, 0: found } of text.matchAll(sentenceEnd)) {
    const end = index + found.length;
    // White space and marks may follow.
    if (end === text.length) break;
    if (!hasOpenMark(text.slice(0, end))) return { length: end, searched };
    searched = end;
  }
  return { length: 0, searched };
}

/** A displayed formula is open, and the next line belongs to it. */
export function isInFormula(text: string): boolean {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  return count(/\$\$/g) % 2 === 1 || count(/\\\[/g) > count(/\\\]/g);
}
