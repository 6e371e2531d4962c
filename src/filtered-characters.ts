// Characters from a server or a file that are never shown unchanged, on a terminal or in a page,
// as regular expression source over UTF-16 code units.

/** C1 controls and DEL. C0 is not here: JSON escapes it anyway, and TAB and LF may be shown. */
const UPPER_CONTROLS = String.raw`\x7f-\x9f`;

/** Direction marks and overrides, zero-width characters, line and paragraph separators, annotation marks. */
const INVISIBLE = String.raw`\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff\ufff9-\ufffb`;

/** Plane 14: tag characters and the supplementary variation selectors, both able to carry hidden text. */
const PLANE_14 = String.raw`\udb40[\udc00-\udfff]`;

const LONE_SURROGATE = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;

/** Source of what the sanitizer must check: all of the above, C0 but TAB and LF, and the black flag. */
export const INTERESTING = String.raw`[\x00-\x08\x0b-\x1f${UPPER_CONTROLS}${INVISIBLE}]|\ud83c\udff4|${PLANE_14}|${LONE_SURROGATE}`;

/** Source of single characters that the sanitizer always removes. */
export const ALWAYS_REMOVED = String.raw`[\x00-\x08\x0b-\x1f${UPPER_CONTROLS}${INVISIBLE}]`;

/** Source of what JSON text may have only as `\uXXXX`. */
export const UNSAFE_IN_JSON = `[${UPPER_CONTROLS}${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** Source of what pages must not have: characters that hide or reorder text, and lone surrogates. */
export const HIDDEN_IN_PAGES = `[${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** Source of a subdivision flag, whose tags are not hidden text (UTS 51, ED-14a). */
export const TAGGED_FLAG = String.raw`\ud83c\udff4(?:\udb40[\udc20-\udc7e]){1,6}\udb40\udc7f`;
