import { createHash } from 'node:crypto';
import { Marked, Renderer, type Tokens } from 'marked';

import { HIDDEN_IN_PAGES, TAGGED_FLAG } from '../../filtered-characters.ts';
import { splitPrompt } from '../compose-prompt.ts';
import { textOf, titleOf, type Conversation } from '../tree.ts';
import { exportedTurns, type ExportedTurn, type ExportOptions } from './export.ts';
import { mathExtensions } from './math.ts';
import { pageScript, pageStyle } from './page-parts.ts';

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

/** Numbers the code blocks and tables of the page, for their labels. */
interface Counter {
  code: number;
  table: number;
}

function codeBlock({ text, lang = '' }: Tokens.Code, counter: Counter): string {
  counter.code += 1;
  const [language = ''] = lang.trim().split(/\s/, 1);
  const name = escapeHtml(visible(language));
  const label = `Code ${counter.code}${name === '' ? '' : `, ${name}`}`;
  const code = escapeHtml(visible(text));
  const kind = name === '' ? '' : ` class="language-${name}"`;
  return `<figure class="code">
<figcaption><span>${name}</span><button type="button" class="copy" aria-label="Copy code ${counter.code}">Copy</button></figcaption>
<pre tabindex="0" role="group" aria-label="${label}"><code${kind}>${code}\n</code></pre>
</figure>
`;
}

/** Answers are untrusted: HTML becomes text, images become links, and links have only web or mail addresses. */
function createRenderer(counter: Counter): Marked {
  const link = (href: string, text: string) => {
    if (!safeAddress.test(href)) return text;
    const address = escapeHtml(href);
    // Print shows the address of any other link.
    return `<a${text === address ? ' class="bare"' : ''} href="${address}" rel="noreferrer">${text}</a>`;
  };
  return new Marked({
    gfm: true,
    // As on a terminal, line ends of an answer are kept.
    breaks: true,
    extensions: mathExtensions(escapeHtml),
    renderer: {
      html: ({ text, block }: Tokens.HTML | Tokens.Tag) =>
        block ? `<p class="typed">${escapeHtml(text.trimEnd())}</p>\n` : escapeHtml(text),
      image: ({ href, text }) => link(href, escapeHtml(text === '' ? href : text)),
      link({ href, tokens }) {
        return link(href, this.parser.parseInline(tokens));
      },
      code: (token) => codeBlock(token, counter),
      // Below the headings of the page.
      heading({ depth, tokens }) {
        const level = Math.min(6, depth + 2);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      table(token) {
        counter.table += 1;
        const table = Renderer.prototype.table.call(this, token);
        return `<div class="table" tabindex="0" role="group" aria-label="Table ${counter.table}">\n${table}</div>\n`;
      },
    },
  });
}

/** As typed; attached files are closed. */
function promptHtml(text: string): string {
  const { prompt, files } = splitPrompt(text);
  const attached = files.map(
    ({ name, content }) =>
      `<details><summary>${escapeHtml(visible(name))}</summary><pre>${escapeHtml(visible(content))}</pre></details>`,
  );
  return `<div class="typed">${escapeHtml(visible(prompt))}</div>${attached.join('')}`;
}

function article({ turn, speaker, remark, isSummary }: ExportedTurn, renderer: Marked): string {
  const heading = escapeHtml(visible(remark === '' ? speaker : `${speaker} (${remark})`));
  const text = textOf(turn);
  const content =
    turn.role === 'assistant' || isSummary === true
      ? withoutHidden(renderer.parse(visible(text), { async: false })).replaceAll(
          hiddenReferences,
          '',
        )
      : promptHtml(text);
  return `<article class="${turn.role}">\n<h2>${heading}</h2>\n<div class="text">${content}</div>\n</article>\n`;
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only this style and this script; nothing is loaded or sent. */
const policy = () =>
  [
    "default-src 'none'",
    `style-src ${hashOf(pageStyle)}`,
    `script-src ${hashOf(pageScript)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

/** One self-contained page, in pieces, for light, dark and print. Its script only copies code. */
export function* exportHtml(
  conversation: Conversation,
  options: ExportOptions,
): Generator<string, void> {
  const renderer = createRenderer({ code: 0, table: 0 });
  const title = escapeHtml(visible(titleOf(conversation) || conversation.id));
  const date = conversation.createdAt.toISOString().slice(0, 10);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p><time datetime="${date}">${date}</time>, conversation ${conversation.id}</p>
</header>
<main>
`;
  for (const turn of exportedTurns(conversation, options)) yield article(turn, renderer);
  yield `</main>\n<p id="status" role="status"></p>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
}
