// Inline Markdown as text: without its marks, links with their addresses, formulas as TeX.
import type { Token, Tokens } from 'marked';
import { withoutMarks } from '../formula.ts';
import { sanitizeLine } from '../safety/sanitizer.ts';
import { lexInline, Paragraph, withCharacters } from './inline.ts';
import type { Place } from './inline-scanner.ts';

/** Tags that change only the look of their content. */
const lookTag =
  /^<\/?(?:kbd|b|i|em|strong|u|s|sub|sup|mark|small|span|code|center|summary|details|p|div)(?:\s[^<>]*)?>$/i;
const breakTag = /^<(?:br|hr|wbr)\s*\/?>$/i;

const escaped = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');

/** The text with its formulas as text of Markdown. */
function withFormulas(source: string, formulas: readonly Place[]): string {
  let text = '';
  let at = 0;
  for (const { from, to } of formulas) {
    text += source.slice(at, from) + escaped(withoutMarks(source.slice(from, to)).trim());
    at = to;
  }
  return text + source.slice(at);
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

/** Inline Markdown of a paragraph as text, piece by piece. Line ends stay. */
export const spokenParagraph = () =>
  new Paragraph<string>((text, formulas) => {
    if (formulas === undefined) return [withNotes(text)];
    const [lead = ''] = /^\s*/.exec(text) ?? [];
    return [lead + tokensText(lexInline(withFormulas(text, formulas).slice(lead.length)))];
  });

export function spokenInline(source: string): string {
  return spokenParagraph().whole(source).join('');
}
