/** The kind of a line within its quotes and lists. */
export type LineKind =
  | 'blank'
  | 'text'
  | 'heading'
  | 'rule'
  | 'fence'
  | 'indented'
  | 'html'
  | 'row'
  | 'delimiter'
  | 'underline'
  | 'definition'
  | 'code'
  | 'closing-fence'
  | 'markup'
  | 'formula';

/** The block that the line before is in; `none` between blocks. */
export type LeafKind = 'none' | 'paragraph' | 'fence' | 'indented' | 'html' | 'formula' | 'table';

/** What is open before the line, which changes what the line means. */
export interface OpenLeaf {
  readonly kind: LeafKind;
  /** The mark of the open code fence. */
  readonly fence: string | undefined;
  /** The previous line may be a table's header. */
  readonly headerBefore: boolean;
  /** The HTML block ends at a blank line. */
  readonly endsAtBlank: boolean;
  /** The paragraph has an open displayed formula. */
  readonly inFormula: boolean;
}

const BLOCK_TAGS = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div ' +
    'dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe ' +
    'legend li link main menu menuitem meta nav noframes ol optgroup option p param pre script search section ' +
    'style summary table tbody td textarea tfoot th thead title tr track ul'
  ).split(' '),
);

/** A table's second row: dashes, colons and at least one bar. */
const delimiterRow = /^(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Undefined while more of the line could change the kind. `complete`: this is the whole line. */
export function recognizeLine(
  text: string,
  complete: boolean,
  open: OpenLeaf,
): LineKind | undefined {
  if (open.inFormula) return 'text';
  if (open.headerBefore && /^[-:| \t]+$/.test(text)) {
    if (!complete) return undefined;
    if (delimiterRow.test(text)) return 'delimiter';
  }
  const kind = recognizeByFirst(text, complete, open);
  if (kind !== 'text' || open.kind !== 'table') return kind;
  if (!complete) return undefined;
  return text.includes('|') ? 'row' : 'text';
}

function recognizeByFirst(text: string, complete: boolean, open: OpenLeaf): LineKind | undefined {
  switch (text.charAt(0)) {
    case '#':
      if (/^#{1,6}(?:[ \t]|$)/.test(text))
        return complete || /[ \t]/.test(text) ? 'heading' : undefined;
      return 'text';
    case '`':
      if (!/^(?:`{1,2}$|`{3,}[^`]*$)/.test(text)) return 'text';
      if (!complete) return undefined;
      return text.startsWith('```') ? 'fence' : 'text';
    case '~':
      if (text.startsWith('~~~')) return 'fence';
      return /^~~?$/.test(text) && !complete ? undefined : 'text';
    case '|':
      return 'row';
    case '=':
      if (open.kind !== 'paragraph' || !/^=+[ \t]*$/.test(text)) return 'text';
      return complete ? 'underline' : undefined;
    case '[':
      if (/^\[[^\]]+\]:/.test(text)) return 'definition';
      return /^\[[^\]]*\]?$/.test(text) && !complete ? undefined : 'text';
    case '<':
      return recognizeHtml(text, complete, open);
    case '$':
    case '\\':
      return recognizeFormula(text, complete);
    default:
      return 'text';
  }
}

function recognizeFormula(text: string, complete: boolean): LineKind | undefined {
  if (!complete && /^(?:\$|\\(?:b(?:e(?:g(?:i(?:n(?:\{[a-zA-Z*]*)?)?)?)?)?)?)$/.test(text))
    return undefined;
  const close = formulaEnd(text);
  if (close === undefined) return 'text';
  if (!complete) return undefined;
  const end = text.indexOf(close, 2);
  return end === -1 || /^[ \t.,;:]*$/.test(text.slice(end + close.length)) ? 'formula' : 'text';
}

/** UTF-16 units of a displayed formula. */
const maxFormulaBlock = 4000;

/** Whether a formula is so long that it is shown as it arrives. */
export function isLongFormula(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + line.length + 1, 0) > maxFormulaBlock;
}

/** The end of the displayed formula that the line starts with; undefined if it starts with none. */
export function formulaEnd(text: string): string | undefined {
  if (text.startsWith('$$')) return '$$';
  if (text.startsWith('\\[')) return '\\]';
  const name = /^\\begin\{([a-zA-Z]+\*?)\}/.exec(text)?.[1];
  return name === undefined ? undefined : `\\end{${name}}`;
}

function recognizeHtml(text: string, complete: boolean, open: OpenLeaf): LineKind | undefined {
  if (/^<(?:!(?:--|[a-zA-Z]|\[CDATA\[)|\?)/.test(text)) return 'html';
  const name = /^<\/?([a-zA-Z][a-zA-Z\d-]*)(?:[ \t>]|\/>|$)/.exec(text);
  if (name && BLOCK_TAGS.has((name[1] ?? '').toLowerCase())) {
    if (complete || text.length > (name[1] ?? '').length + 2) return 'html';
  }
  if (!complete && /^<(?:!-?|!\[[A-Z]{0,5}|\/?[a-zA-Z\d-]*)$/.test(text)) return undefined;
  if (open.kind === 'paragraph') return 'text';
  if (!/^<\/?[a-zA-Z][a-zA-Z\d-]*(?:[ \t][^<>]*|\/)?(?:>[ \t]*)?$/.test(text)) return 'text';
  if (!complete) return undefined;
  return />[ \t]*$/.test(text) ? 'html' : 'text';
}

const closingFence = /^ {0,3}(`+|~+)[ \t]*$/;

/** Whether a line closes the fence with this mark: it has at least as many of the same character. */
export function closesFence(mark: string, line: string): boolean {
  return closingFence.exec(line)?.[1]?.startsWith(mark) ?? false;
}

/** The end of an HTML block (CommonMark 4.6); undefined: a blank line. */
export function htmlEnd(text: string): RegExp | undefined {
  if (text.startsWith('<!--')) return /-->/;
  if (text.startsWith('<?')) return /\?>/;
  if (text.startsWith('<![')) return /\]\]>/;
  if (text.startsWith('<!')) return />/;
  return /^<(?:script|pre|style|textarea)[\s>]/i.test(`${text} `)
    ? /<\/(?:script|pre|style|textarea)>/i
    : undefined;
}
