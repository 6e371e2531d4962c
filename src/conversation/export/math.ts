import type { MarkedExtension } from 'marked';

type Extensions = NonNullable<MarkedExtension['extensions']>;

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
export function mathExtensions(escapeHtml: (text: string) => string): Extensions {
  const renderer = ({ raw }: { readonly raw: string }) =>
    `<code class="math">${escapeHtml(raw.trim())}</code>`;
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
