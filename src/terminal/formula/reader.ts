/** A formula that is read from left to right. */
export interface Reader {
  readonly source: string;
  at: number;
  depth: number;
  /** It has a part that cannot be Unicode. */
  hasFailed: boolean;
  /** The finished rows of an alignment. */
  readonly rows: string[];
  /** Reads the text up to `end`, and skips it. */
  readonly read: (reader: Reader, end: string) => string;
}

export function fail(reader: Reader): '' {
  reader.hasFailed = true;
  return '';
}

export function peek({ source, at }: Reader): string {
  return at < source.length ? String.fromCodePoint(source.codePointAt(at) ?? 0) : '';
}

export function skipSpaces(reader: Reader): void {
  while (/\s/.test(reader.source.charAt(reader.at))) reader.at += 1;
}

/** The command's name after its backslash. */
export function readName(reader: Reader): string {
  const found = /^(?:[a-zA-Z]+\*?|[^])/.exec(reader.source.slice(reader.at, reader.at + 40));
  const name = found?.[0] ?? '';
  reader.at += name.length;
  return name;
}

/** A group, a command, or one character. */
export function readArgument(reader: Reader): string {
  skipSpaces(reader);
  const character = peek(reader);
  if (character === '' || '}^_&$%#'.includes(character)) return fail(reader);
  if (character === '{') {
    reader.at += 1;
    return reader.read(reader, '}').trim();
  }
  if (character !== '\\') {
    reader.at += character.length;
    return character;
  }
  const end = /^\\(?:[a-zA-Z]+|[^])/.exec(reader.source.slice(reader.at, reader.at + 40));
  const inner: Reader = {
    ...reader,
    source: reader.source.slice(0, reader.at + (end?.[0].length ?? 1)),
    rows: [],
  };
  const text = reader.read(inner, '').trim();
  if (inner.hasFailed || /\\[dt]?(?:frac|sqrt|begin)$/.test(inner.source)) return fail(reader);
  reader.at = inner.at;
  return text;
}

/** A group as it is written; undefined without one. */
export function readRawGroup(reader: Reader): string | undefined {
  skipSpaces(reader);
  const found = /^\{([^{}\\$]*)\}/.exec(reader.source.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found[1] ?? '';
}

/** `[…]` as it is written; undefined without it. */
export function readRawOption(reader: Reader): string | undefined {
  const found = /^\s*\[([^\]{}\\]*)\]/.exec(reader.source.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found[1] ?? '';
}

/** The text with single spaces, and none inside brackets. */
export function tidy(row: string): string {
  return row
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([([{⟨⌊⌈]) /g, '$1')
    .replaceAll(/ (?=[)\]}⟩⌋⌉,;])/g, '')
    .trim();
}
