/** A paste shown as a marker. `number` counts a session's pastes from 1. */
export interface Paste {
  readonly number: number;
  readonly text: string;
}

/**
 * A text in which each paste is represented by a lone low surrogate, its stand-in. Typed or pasted text never contains
 * one (`cleanText`), so a stand-in cannot be mistaken for content, and no character joins it (UAX 29, GB4).
 */
export interface Fragment {
  readonly text: string;
  /** Pastes by stand-in; may contain pastes that the text no longer uses. */
  readonly pastes: ReadonlyMap<string, Paste>;
}

const firstStandIn = 0xdc00;
const lastStandIn = 0xdfff;
const loneSurrogate = /\p{Surrogate}/gu;
const longPasteLines = 5;
const longPasteLength = 500;
const mostTypedLines = 30;
const longestTyped = 3000;

/** Line ends as `\n`, without lone surrogates. */
export function cleanText(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return /[\ud800-\udfff]/.test(lines) ? lines.replaceAll(loneSurrogate, '\uFFFD') : lines;
}

/** `character` is a grapheme or a single UTF-16 unit. */
export function isStandIn(character: string): boolean {
  const code = character.charCodeAt(0);
  return character.length === 1 && code >= firstStandIn && code <= lastStandIn;
}

/** A trailing line end does not count as another line. */
function lineCount(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Shown as a marker: over 5 lines or over 500 characters. */
export function isLongPaste(text: string): boolean {
  return text.length > longPasteLength || lineCount(text) > longPasteLines;
}

/** Longer than anyone types: over 30 lines or over 3000 characters. */
export function isBeyondTyping(text: string): boolean {
  return text.length > longestTyped || lineCount(text) > mostTypedLines;
}

/** The marker of a paste: `[paste #1, 123 lines]`. */
export function pasteLabel({ number, text }: Paste): string {
  const lines = lineCount(text);
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  return `[paste #${number}, ${size}]`;
}

/** Adds a paste; undefined if all 1024 stand-ins are in use. */
export function registerPaste(
  pastes: ReadonlyMap<string, Paste>,
  paste: Paste,
): { standIn: string; pastes: ReadonlyMap<string, Paste> } | undefined {
  for (const [standIn, known] of pastes) if (known === paste) return { standIn, pastes };
  for (let code = firstStandIn; code <= lastStandIn; code += 1) {
    const standIn = String.fromCharCode(code);
    if (!pastes.has(standIn)) return { standIn, pastes: new Map(pastes).set(standIn, paste) };
  }
  return undefined;
}

/** Adds the fragment's pastes to the given ones and replaces stand-ins that would collide. */
export function adoptFragment(pastes: ReadonlyMap<string, Paste>, fragment: Fragment): Fragment {
  let merged = pastes;
  const text = fragment.text.replaceAll(loneSurrogate, (standIn) => {
    const paste = fragment.pastes.get(standIn);
    if (paste === undefined) return '';
    const registered = registerPaste(merged, paste);
    if (registered === undefined) return paste.text;
    merged = registered.pastes;
    return registered.standIn;
  });
  return { text, pastes: merged };
}

/** The full text, with stand-ins replaced by their pastes. */
export function contentOf({ text, pastes }: Fragment): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(loneSurrogate, (standIn) => pastes.get(standIn)?.text ?? '');
}

/** A text as shown in the composer, with long pastes as markers. */
export function shownText({ text, pastes }: Fragment): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(/\p{Surrogate}/gu, (standIn) => {
    const paste = pastes.get(standIn);
    return paste === undefined ? '' : pasteLabel(paste);
  });
}

/** A prompt as it would be typed: a leading slash is escaped by another slash. */
export function typedPrompt(prompt: string): string {
  return prompt.startsWith('/') ? `/${prompt}` : prompt;
}

/** A draft's full text as it would be typed; a leading slash from a paste is escaped. */
export function typedContent(draft: Fragment): string {
  const content = contentOf(draft);
  return draft.text.startsWith('/') ? content : typedPrompt(content);
}
