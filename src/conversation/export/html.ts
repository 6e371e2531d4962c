import { Marked, type Tokens } from 'marked';

import { HIDDEN_IN_PAGES, TAGGED_FLAG } from '../../filtered-characters.ts';
import { textOf, titleOf, type Conversation } from '../tree.ts';
import { exportedTurns, type ExportedTurn, type ExportOptions } from './export.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

const hidden = new RegExp(`(${TAGGED_FLAG})|${HIDDEN_IN_PAGES}`, 'g');

/** Removes characters that hide or reorder text; line separators become line ends. */
const withoutHidden = (text: string) =>
  text.replaceAll(hidden, (character, flag: string | undefined) => {
    if (flag !== undefined) return flag;
    if (character === '\u2028' || character === '\u2029') return '\n';
    return /^[\ud800-\udfff]$/.test(character) ? '\uFFFD' : '';
  });

/** The Markdown parser resolves numeric character references and keeps named ones. */
const hiddenReferences =
  /&(?:lrm|rlm|ZeroWidthSpace|NoBreak|Negative(?:VeryThin|Thin|Medium|Thick)Space);/g;

/** Characters not allowed in HTML (13.1.1), such as those of escape sequences, become visible symbols. */
const visible = (text: string) =>
  withoutHidden(text).replaceAll(/[\0-\x08\x0B\x0E-\x1F\x7F-\x9F]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\uFFFD';
  });

const safeAddress = /^(?:https?:|mailto:)/i;

/** Answers are untrusted: HTML becomes text, images become links, and links have only web or mail addresses. */
function createRenderer(): Marked {
  const link = (href: string, text: string) =>
    safeAddress.test(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer">${text}</a>` : text;
  return new Marked({
    gfm: true,
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ href, text }) => link(href, escapeHtml(text === '' ? href : text)),
      link({ href, tokens }) {
        return link(href, this.parser.parseInline(tokens));
      },
    },
  });
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
header p, section > h2 { color: GrayText; font-size: .9rem; font-weight: 600; }
section { margin: 2rem 0; overflow-wrap: anywhere; }
.user > div { white-space: pre-wrap; border-inline-start: 3px solid; padding-inline-start: 1rem; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .4rem; }
code { font: .9em/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .25rem .6rem; }
`;

function section({ turn, speaker, remark }: ExportedTurn, renderer: Marked): string {
  const heading = escapeHtml(visible(remark === '' ? speaker : `${speaker} (${remark})`));
  // Prompts are shown as typed.
  const text = visible(textOf(turn));
  const content =
    turn.role === 'assistant'
      ? withoutHidden(renderer.parse(text, { async: false })).replaceAll(hiddenReferences, '')
      : escapeHtml(text);
  return `<section class="${turn.role}">\n<h2>${heading}</h2>\n<div>${content}</div>\n</section>\n`;
}

/** One self-contained page, in pieces: no scripts, nothing loaded, for light and dark. */
export function* exportHtml(
  conversation: Conversation,
  options: ExportOptions,
): Generator<string, void> {
  const renderer = createRenderer();
  const title = escapeHtml(visible(titleOf(conversation) || conversation.id));
  const date = conversation.createdAt.toISOString().slice(0, 10);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>${date}, conversation ${conversation.id}</p>
</header>
<main>
`;
  for (const turn of exportedTurns(conversation, options)) yield section(turn, renderer);
  yield '</main>\n</body>\n</html>\n';
}
