import { createHash } from 'node:crypto';
import { Marked, Renderer, type Tokens, type MarkedExtension } from 'marked';
import { HIDDEN_IN_PAGES, TAGGED_FLAG } from '../../filtered-characters.ts';
import { escapeMarkup, splitPrompt } from '../compose-prompt.ts';
import { textOf, titleOf, type Conversation } from '../tree.ts';
import { exportedTurns, type ExportOptions } from './export.ts';

// The style and the script of an exported page; the policy of the page allows exactly these texts.

const pageStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2127; --dim: #59626e; --line: #d3d9e0; --code: #f4f6f8; --you: #2f6fdb; --link: #0b57d0; font: 1rem/1.6 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e4e7eb; --dim: #a0a9b5; --line: #3a424c; --code: #20252b; --you: #7fb0ff; --link: #8ab8ff; } }
body { background: var(--paper); color: var(--ink); max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
header p, main > p, article > h2 { color: var(--dim); font-size: .9rem; margin: 0 0 .5rem; }
article > h2 { font-weight: 600; }
article { margin: 2rem 0; overflow-wrap: anywhere; content-visibility: auto; contain-intrinsic-size: auto 16rem; }
h1, .typed, .text :is(p, li, h3, h4, h5, h6, th, td) { unicode-bidi: plaintext; }
.text > :first-child { margin-top: 0; } .text > :last-child { margin-bottom: 0; }
.text :is(h3, h4, h5, h6) { line-height: 1.3; margin: 1.4em 0 .5em; }
h3 { font-size: 1.25rem; } h4 { font-size: 1.1rem; } h5, h6 { font-size: 1rem; }
.typed { white-space: pre-wrap; }
.user > .text { border-inline-start: 3px solid var(--you); padding-inline-start: 1rem; }
blockquote { margin-inline: 0; border-inline-start: 3px solid var(--line); padding-inline-start: 1rem; color: var(--dim); }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
:not(pre) > code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
pre { overflow-x: auto; margin: 0; padding: .75rem 1rem; tab-size: 4; }
pre code { font-size: 1em; }
.code, details { margin: 1rem 0; border: 1px solid var(--line); border-radius: .4rem; background: var(--code); }
figcaption, summary { color: var(--dim); font-size: .85rem; padding: .25rem 1rem; }
figcaption { display: flex; align-items: center; justify-content: space-between; min-height: 1.6rem; border-bottom: 1px solid var(--line); }
.copy { display: none; font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .25rem; padding: 0 .6rem; cursor: pointer; }
.scripted .copy { display: inline-block; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; overflow-wrap: normal; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; }
li:has(> input) { list-style: none; }
li > input { margin: 0 .4rem 0 -1.25rem; }
.math { white-space: pre-wrap; }
hr { border: 0; border-top: 1px solid var(--line); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --dim: #444; --line: #bbb; --code: #fff; --you: #666; --link: #000; }
  body { max-width: none; margin: 0; font-size: 10.5pt; }
  article { content-visibility: visible; }
  article > h2, h3, h4, h5, h6 { break-after: avoid; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .scripted .copy, figcaption:has(> span:empty) { display: none; }
  td { overflow-wrap: anywhere; }
  .text a[href^="http"]:not(.bare)::after { content: " (" attr(href) ")"; color: var(--dim); }
}
`;

/** Without the permission to write to the clipboard, the code is copied as a selection, or stays selected. */
const pageScript = `
document.documentElement.classList.add('scripted');
const say = (button, text, status) => {
  button.textContent = text;
  document.getElementById('status').textContent = status;
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
};
document.addEventListener('click', async (event) => {
  const button = event.target.closest('button.copy');
  if (button === null) return;
  const code = button.closest('figure').querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    if (!document.execCommand('copy')) return say(button, 'Selected', 'The code is selected');
  }
  say(button, 'Copied', 'The code was copied');
});
`;

/** UTF-16 units after which an opening without an end is text. */
const display = /^(?:\$\$(?:\\[^]|[^\\$]){1,4000}?\$\$|\\\[(?!\n\n)[^]{1,4000}?\\\])/;
const inline = /^(?:\$(?!\s)(?:\\.|[^\\$\n]){1,400}?(?<!\s)\$(?!\d)|\\\([^\n]{1,1000}?\\\))/;

/** Only in the current paragraph: marked asks once for each, and to search the whole rest takes quadratic time. */
function startInParagraph(source: string): number | undefined {
  const end = /\n[ \t]*\n/.exec(source)?.index;
  return /\n(?:\$\$|\\\[)/.exec(source.slice(0, end))?.index;
}

/**
 * Mathematics is shown as written: Markdown would remove the backslash of `\(` and read `_` as emphasis. `$…$` has no
 * space inside and no digit after it, so that prices are text.
 */
function mathExtensions(): NonNullable<MarkedExtension['extensions']> {
  const renderer = ({ raw }: { readonly raw: string }) =>
    `<code class="math">${escapeMarkup(raw.trim())}</code>`;
  return [
    {
      name: 'displayMath',
      level: 'block',
      start: startInParagraph,
      tokenizer(source) {
        const raw = display.exec(source)?.[0];
        const rest = raw === undefined ? '' : (/^[^\n]*/.exec(source.slice(raw.length))?.[0] ?? '');
        return raw === undefined || rest.trim() !== '' ? undefined : { type: 'displayMath', raw };
      },
      renderer: (token) => `<p>${renderer(token)}</p>\n`,
    },
    {
      name: 'math',
      level: 'inline',
      start: (source) => /\$|\\[([]/.exec(source)?.index,
      tokenizer(source) {
        const raw = (display.exec(source) ?? inline.exec(source))?.[0];
        return raw === undefined ? undefined : { type: 'math', raw };
      },
      renderer,
    },
  ];
}

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

const typed = (text: string) => escapeMarkup(visible(text));

const safeAddress = /^(?:https?:|mailto:)/i;

/** Answers are untrusted: HTML becomes text, images become links, and links have only web or mail addresses. */
function createRenderer(): Marked {
  let codes = 0;
  let tables = 0;
  const link = (href: string, text: string) => {
    if (!safeAddress.test(href)) return text;
    const address = escapeMarkup(href);
    // Print shows the address of any other link. Marked escapes apostrophes, too.
    const isBare = text.replaceAll('&#39;', "'") === address;
    return `<a${isBare ? ' class="bare"' : ''} href="${address}" rel="noreferrer">${text}</a>`;
  };
  return new Marked({
    gfm: true,
    // Line ends of an answer are kept, as on a terminal.
    breaks: true,
    extensions: mathExtensions(),
    renderer: {
      html: ({ text, block }: Tokens.HTML | Tokens.Tag) =>
        block ? `<p class="typed">${escapeMarkup(text.trimEnd())}</p>\n` : escapeMarkup(text),
      image: ({ href, text }) => link(href, escapeMarkup(text === '' ? href : text)),
      link({ href, tokens }) {
        return link(href, this.parser.parseInline(tokens));
      },
      code({ text, lang = '' }) {
        codes += 1;
        const [language = ''] = lang.trim().split(/\s/, 1);
        const name = typed(language);
        const label = `Code ${codes}${name === '' ? '' : `, ${name}`}`;
        const kind = name === '' ? '' : ` class="language-${name}"`;
        return `<figure class="code">
<figcaption><span>${name}</span><button type="button" class="copy" aria-label="Copy code ${codes}">Copy</button></figcaption>
<pre tabindex="0" role="group" aria-label="${label}"><code${kind}>${typed(text)}\n</code></pre>
</figure>
`;
      },
      // The headings of an answer are below those of the page.
      heading({ depth, tokens }) {
        const level = Math.min(6, depth + 2);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      table(token) {
        tables += 1;
        const table = Renderer.prototype.table.call(this, token);
        return `<div class="table" tabindex="0" role="group" aria-label="Table ${tables}">\n${table}</div>\n`;
      },
    },
  });
}

const closed = (name: string, text: string) =>
  `<details><summary>${typed(name)}</summary><pre>${typed(text)}</pre></details>`;

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

/** Makes one self-contained page in pieces for light, dark and print. Its script only copies code. */
export function* exportHtml(conversation: Conversation, options: ExportOptions) {
  const renderer = createRenderer();
  const title = typed(titleOf(conversation) || conversation.id);
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
  for (const exported of exportedTurns(conversation, options)) {
    const { turn, speaker, remark, isSummary, reasoning, gap } = exported;
    const heading = typed(remark === '' ? speaker : `${speaker} (${remark})`);
    const isAnswer = turn.role === 'assistant' || isSummary;
    const text = textOf(turn);
    let content: string;
    if (isAnswer) {
      const html = withoutHidden(renderer.parse(visible(text), { async: false }));
      content = html.replaceAll(hiddenReferences, '');
    } else {
      // A prompt is shown as typed; attached files are closed.
      const { prompt, files } = splitPrompt(text);
      const attached = files.map((file) => closed(file.name, file.content));
      content = `<div class="typed">${typed(prompt)}</div>${attached.join('')}`;
    }
    const thought = reasoning === '' ? '' : closed('Reasoning', reasoning);
    const line = gap === undefined ? '' : `<p>${gap}</p>\n`;
    yield `${line}<article class="${turn.role}">\n<h2>${heading}</h2>\n<div class="text">${thought}${content}</div>\n</article>\n`;
  }
  yield `</main>
<p id="status" role="status"></p>
<script>${pageScript}</script>
</body>
</html>
`;
}
