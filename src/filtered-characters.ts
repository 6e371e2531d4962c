// Characters that natter removes or escapes in text from a server or a file, as regular expression source over UTF-16
// code units.

/** C1 controls and DEL. Without C0, which JSON escapes anyway and which contains TAB and LF. */
const UPPER_CONTROLS = String.raw`\x7f-\x9f`;

/** Direction marks and overrides, zero-width characters, line and paragraph separators, annotation marks. */
const INVISIBLE = String.raw`\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff\ufff9-\ufffb`;

/** Plane 14: tag characters and supplementary variation selectors, which can contain hidden text. */
const PLANE_14 = String.raw`\udb40[\udc00-\udfff]`;

const LONE_SURROGATE = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;

/** What the sanitizer must check: all of the above, C0 except TAB and LF, and the black flag. */
export const POSSIBLY_UNSAFE = String.raw`[\x00-\x08\x0b-\x1f${UPPER_CONTROLS}${INVISIBLE}]|\ud83c\udff4|${PLANE_14}|${LONE_SURROGATE}`;

/** Single characters that the sanitizer always removes. */
export const ALWAYS_REMOVED = String.raw`[\x00-\x08\x0b-\x1f${UPPER_CONTROLS}${INVISIBLE}]`;

/** Characters that natter escapes in JSON (`\uXXXX`). */
export const UNSAFE_IN_JSON = `[${UPPER_CONTROLS}${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** Characters that HTML pages must not contain: those that hide or reorder text, and lone surrogates. */
export const HIDDEN_IN_PAGES = `[${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** A subdivision flag, whose tags are not hidden text (UTS 51, ED-14a). */
export const TAGGED_FLAG = String.raw`\ud83c\udff4(?:\udb40[\udc20-\udc7e]){1,6}\udb40\udc7f`;
