import { Parser } from 'htmlparser2';

/** Elements whose text is not shown to a reader. */
const unread = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object']);

/** Elements with a blank line before and after them. */
const paragraphs = new Set(
  'article blockquote dl figure h1 h2 h3 h4 h5 h6 hr ol p pre section table title ul'.split(' '),
);

/** Elements that begin and end a line. */
const lines = new Set(
  'address aside body br dd details div dt fieldset figcaption footer form header li main nav option summary tr'.split(
    ' ',
  ),
);

/** Collects text with as many line ends as its elements need. */
function createTextFlow() {
  const written: string[] = [];
  let breaks = 0;
  let isSpaced = false;
  return {
    breakLines(count: number): void {
      breaks = Math.max(breaks, count);
    },
    write(text: string, isKept: boolean): void {
      const shown = isKept ? text : text.replaceAll(/[ \t\r\n\f]+/g, ' ');
      const startsSpaced = shown.startsWith(' ') && !isKept;
      const body = startsSpaced ? shown.slice(1) : shown;
      if (startsSpaced) isSpaced = true;
      if (body === '') return;
      if (written.length > 0 && breaks > 0) written.push('\n'.repeat(breaks));
      else if (isSpaced && written.length > 0) written.push(' ');
      breaks = 0;
      isSpaced = !isKept && body.endsWith(' ');
      written.push(isSpaced ? body.slice(0, -1) : body);
    },
    text: (): string => `${written.join('').trimEnd()}\n`,
  };
}

const breaksOf = (name: string): number => (paragraphs.has(name) ? 2 : lines.has(name) ? 1 : 0);

/** What marks the element in plain text: `# `, `- `. */
function markOf(name: string): string {
  if (/^h[1-6]$/.test(name)) return `${'#'.repeat(Number(name[1]))} `;
  return name === 'li' ? '- ' : '';
}

/** The text that a page shows, with headings and lists as in Markdown; scripts, styles and links are removed. */
export function htmlToText(html: string): string {
  const flow = createTextFlow();
  let hidden = 0;
  let preformatted = 0;
  const parser = new Parser({
    onopentag(name, { alt }) {
      if (unread.has(name)) hidden += 1;
      if (hidden > 0) return;
      flow.breakLines(breaksOf(name));
      if (name === 'pre') preformatted += 1;
      if (name === 'td' || name === 'th') flow.write(' ', false);
      if (name === 'img' && alt !== undefined && alt !== '') flow.write(`[${alt}]`, false);
      const mark = markOf(name);
      if (mark !== '') flow.write(mark, false);
    },
    ontext(text) {
      if (hidden === 0) flow.write(text, preformatted > 0);
    },
    onclosetag(name) {
      if (unread.has(name)) hidden -= 1;
      else if (hidden === 0) {
        if (name === 'pre') preformatted -= 1;
        flow.breakLines(breaksOf(name));
      }
    },
  });
  parser.end(html);
  return flow.text();
}
