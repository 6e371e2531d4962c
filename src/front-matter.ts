const lineCount = (text: string) => text.split('\n').length - 1;

/** Removes the blank lines at the start, and blanks at the end. */
function trimBody(text: string, line: number) {
  const start = /^(?:[ \t\r]*\n)*/.exec(text)?.[0] ?? '';
  return { body: text.slice(start.length).trimEnd(), bodyLine: line + lineCount(start) };
}

/**
 * Splits off the front matter, the YAML between the lines of dashes; it is undefined if there is none. The lines are
 * numbers of the file, from 1. A first line that starts with `#!` is not part of the prompt.
 */
export function splitFrontMatter(content: string) {
  const shebang = /^#![^\n]*(?:\n|$)/.exec(content)?.[0] ?? '';
  const line = 1 + lineCount(shebang);
  const text = content.slice(shebang.length);
  const open = /^---[ \t]*\r?\n/.exec(text)?.[0];
  const close = open && /^(?:---|\.\.\.)[ \t]*\r?(?:\n|$(?![^]))/m.exec(text.slice(open.length));
  if (open === undefined || !close) {
    return { frontMatter: undefined, frontMatterLine: line, ...trimBody(text, line) };
  }
  const end = open.length + close.index;
  const bodyStart = end + close[0].length;
  return {
    frontMatter: text.slice(open.length, end),
    frontMatterLine: line + 1,
    ...trimBody(text.slice(bodyStart), line + lineCount(text.slice(0, bodyStart))),
  };
}
