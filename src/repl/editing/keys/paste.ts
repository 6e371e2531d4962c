/** A paste shown as one unit. `number` counts a session's pastes from 1. */
export interface Paste {
  readonly number: number;
  readonly text: string;
}

/**
 * A text in which a lone low surrogate stands for each paste. Text people type or paste never holds one
 * (`cleanText`), so a stand-in cannot be mistaken for content, and no character joins it (UAX 29, GB4).
 */
export interface Fragment {
  readonly text: string;
  /** Each paste by its stand-in; may hold more than the text uses. */
  readonly pastes: ReadonlyMap<string, Paste>;
}

const firstStandIn = 0xdc00;
const lastStandIn = 0xdfff;
const loneSurrogate = /\p{Surrogate}/gu;
const longPasteLines = 5;
const longPasteLength = 500;
const mostTypedLines = 30;
const longestTyped = 3000;

/** Line ends as `\n`, and no half characters. */
export function cleanText(text: string): string {
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return /[\ud800-\udfff]/.test(lines) ? lines.replaceAll(loneSurrogate, '\uFFFD') : lines;
}

/** Whether a grapheme, or a text of one unit, is the stand-in of a paste. */
export function isStandIn(character: string): boolean {
  const code = character.charCodeAt(0);
  return character.length === 1 && code >= firstStandIn && code <= lastStandIn;
}

/** Lines a reader sees; a line end at the end begins no further one. */
function lineCount(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Whether a paste is shown as a marker: over 5 lines or over 500 characters. */
export function isLongPaste(text: string): boolean {
  return text.length > longPasteLength || lineCount(text) > longPasteLines;
}

/** Whether a text is longer than anybody types: over 30 lines or over 3000 characters. */
export function isBeyondTyping(text: string): boolean {
  return text.length > longestTyped || lineCount(text) > mostTypedLines;
}

/** What stands on the screen for a paste: `[paste #1, 123 lines]`. */
export function pasteLabel({ number, text }: Paste): string {
  const lines = lineCount(text);
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  return `[paste #${number}, ${size}]`;
}

/** The stand-in of a paste and the pastes with it; undefined when all 1024 stand-ins are taken. */
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

/** The fragment's text with stand-ins that hold among the given pastes, and these with the fragment's. */
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

/** The full text, every paste in its place. */
export function contentOf({ text, pastes }: Fragment): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(loneSurrogate, (standIn) => pastes.get(standIn)?.text ?? '');
}

/** A text as the composer shows it: each long paste as its marker. */
export function shownText({ text, pastes }: Fragment): string {
  if (pastes.size === 0) return text;
  return text.replaceAll(/\p{Surrogate}/gu, (standIn) => {
    const paste = pastes.get(standIn);
    return paste === undefined ? '' : pasteLabel(paste);
  });
}

/** A prompt as it would be typed: what starts with a slash is no command. */
export function typedPrompt(prompt: string): string {
  return prompt.startsWith('/') ? `/${prompt}` : prompt;
}

/** All that a draft says, as if none of it was pasted: a slash in a paste begins no command. */
export function typedContent(draft: Fragment): string {
  const content = contentOf(draft);
  return draft.text.startsWith('/') ? content : typedPrompt(content);
}
