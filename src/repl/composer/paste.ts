/** A long paste. `number` counts a session's pastes from 1. */
export interface Paste {
  readonly number: number;
  readonly text: string;
}

/**
 * A text in which each paste is one character, its marker: a lone low surrogate. Typed or pasted text never contains
 * one (`normalizeText`), so a marker cannot be mistaken for content, and no character joins it (UAX 29, GB4).
 */
export interface MarkedText {
  readonly text: string;
  /** Pastes by marker; may contain pastes that the text no longer uses. */
  readonly pastes: ReadonlyMap<string, Paste>;
}

const firstMarker = 0xdc00;
const lastMarker = 0xdfff;
/** Matches markers: with the u flag, surrogates of a pair are not matched. */
const loneSurrogate = /\p{Surrogate}/gu;
const longPasteLines = 5;
const longPasteLength = 500;
const maxTypedLines = 30;
const maxTypedLength = 3000;

/** Line ends as `\n`, without lone surrogates. */
export function normalizeText(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return /[\ud800-\udfff]/.test(lines) ? lines.replaceAll(loneSurrogate, '\uFFFD') : lines;
}

/** `character` is a grapheme or a single UTF-16 unit. */
export function isPasteMarker(character: string): boolean {
  return /^[\udc00-\udfff]$/.test(character);
}

/** A trailing line end does not start a line. */
function lineCount(text: string): number {
  return text.split('\n').length - Number(text === '' || text.endsWith('\n'));
}

/** Whether a paste becomes a marker: it has over 5 lines or over 500 characters. */
export function isLongPaste(text: string): boolean {
  return text.length > longPasteLength || lineCount(text) > longPasteLines;
}

/** Whether a text has over 30 lines or over 3000 characters. */
export function isTooLongToType(text: string): boolean {
  return text.length > maxTypedLength || lineCount(text) > maxTypedLines;
}

/** How the marker of a paste is shown: `[paste #1, 123 lines]`. */
export function pasteLabel({ number, text }: Paste): string {
  const lines = lineCount(text);
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  return `[paste #${number}, ${size}]`;
}

/** Adds a paste; undefined if all 1024 markers are in use. */
export function registerPaste(
  pastes: ReadonlyMap<string, Paste>,
  paste: Paste,
): { marker: string; pastes: ReadonlyMap<string, Paste> } | undefined {
  for (const [marker, known] of pastes) if (known === paste) return { marker, pastes };
  for (let code = firstMarker; code <= lastMarker; code += 1) {
    const marker = String.fromCharCode(code);
    if (!pastes.has(marker)) return { marker, pastes: new Map(pastes).set(marker, paste) };
  }
  return undefined;
}

/** Adds the pastes of a text to others, and replaces the markers in it that are already in use. */
export function mergePastes(pastes: ReadonlyMap<string, Paste>, added: MarkedText): MarkedText {
  let merged = pastes;
  const text = added.text.replaceAll(loneSurrogate, (marker) => {
    const paste = added.pastes.get(marker);
    if (paste === undefined) return '';
    const registered = registerPaste(merged, paste);
    if (registered === undefined) return paste.text;
    merged = registered.pastes;
    return registered.marker;
  });
  return { text, pastes: merged };
}

function replaceMarkers({ text, pastes }: MarkedText, shown: (paste: Paste) => string): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(loneSurrogate, (marker) => {
    const paste = pastes.get(marker);
    return paste === undefined ? '' : shown(paste);
  });
}

/** The text with its pastes in full. */
export function contentOf(marked: MarkedText): string {
  return replaceMarkers(marked, ({ text }) => text);
}

export function shownText(marked: MarkedText): string {
  return replaceMarkers(marked, pasteLabel);
}

/** A prompt as it would be typed: a leading slash is doubled, and a space precedes an exclamation mark. */
export function typedPrompt(prompt: string): string {
  if (prompt.startsWith('!')) return ` ${prompt}`;
  return prompt.startsWith('/') ? `/${prompt}` : prompt;
}

/** A draft's full text as it would be typed; the start of a long paste is escaped. */
export function typedContent(draft: MarkedText): string {
  const content = contentOf(draft);
  return /^[/!]/.test(draft.text) ? content : typedPrompt(content);
}
