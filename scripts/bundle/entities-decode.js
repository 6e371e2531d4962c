// Replaces `entities/decode` in the bundle, for HTML. The build writes the names into the table.
const table = '';

/** Characters of the names found so far: reading the whole table would take longer than most texts. */
const known = new Map();

/** The names with their marks: `*` if they need no semicolon, else a space. */
let names;

/** Reads all names once: a search of the table for each of many names that it does not have would take seconds. */
function readNames() {
  names ??= new Set(table.match(/(?<= )\w+[ *]/g));
  return names;
}

/** @returns the place of the name in the table; -1 if it has none */
function placeOf(name) {
  const marked = [`${name} `, `${name}*`].filter((one) => names?.has(one) !== false);
  return Math.max(-1, ...marked.map((one) => table.indexOf(` ${one}`)));
}

function readValue(place) {
  let point = 0;
  let second;
  for (const [, step, more] of table.slice(0, place).matchAll(/;(\w*)(?:\+(\w+))?/g)) {
    point += step === '' ? 1 : parseInt(step, 36);
    second = more;
  }
  const characters = String.fromCodePoint(point);
  return second === undefined
    ? characters
    : characters + String.fromCodePoint(parseInt(second, 36));
}

/** @returns the characters of a name without `&` and `;` */
function valueOf(name) {
  if (known.has(name)) return known.get(name);
  const place = placeOf(name);
  if (place < 0) {
    readNames();
    return undefined;
  }
  const value = readValue(place);
  known.set(name, value);
  return value;
}

/** Windows-1252, which browsers read references to control characters as; 0 leaves the number as it is. */
const controls = [
  8364, 0, 8218, 402, 8222, 8230, 8224, 8225, 710, 8240, 352, 8249, 338, 0, 381, 0, 0, 8216, 8217,
  8220, 8221, 8226, 8211, 8212, 732, 8482, 353, 8250, 339, 0, 382, 376,
];

function characterOf(point) {
  if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return '\ufffd';
  return String.fromCodePoint(controls[point - 128] || point);
}

const numbered = (hexadecimal, decimal) =>
  characterOf(hexadecimal === undefined ? parseInt(decimal, 10) : parseInt(hexadecimal, 16));

/** Decodes references that end with a semicolon. */
export function decodeHTMLStrict(text) {
  return text.replaceAll(
    /&(?:#(?:x([\da-f]+)|(\d+))|([a-z][\da-z]*));/gi,
    (whole, hexadecimal, decimal, name) =>
      name === undefined ? numbered(hexadecimal, decimal) : (valueOf(name) ?? whole),
  );
}

export const DecodingMode = { Legacy: 0, Strict: 1, Attribute: 2 };

/** Only modules that the bundle does not contain in the end import these. */
const absent = undefined;
export {
  absent as decodeHTML,
  absent as decodeHTMLAttribute,
  absent as decodeXML,
  absent as decodeXMLStrict,
  absent as determineBranch,
  absent as htmlDecodeTree,
  absent as xmlDecodeTree,
};

const numeric = /#(?:x([\da-f]+)|(\d+));?/iy;
const named = /[a-z][\da-z]*;?/iy;

/** @returns the name at the start of the words, with its length; in an attribute, it ends where the words do */
function findName(words, isAttribute, next) {
  if (words.endsWith(';') && valueOf(words.slice(0, -1)) !== undefined)
    return { name: words.slice(0, -1), length: words.length };
  for (let length = Math.min(words.length, 6); length > 1; length -= 1) {
    const name = words.slice(0, length);
    if (!readNames().has(`${name}*`)) continue;
    const isRefused = isAttribute && /^[=\da-z]/i.test(words.slice(length) + next);
    return isRefused ? undefined : { name, length };
  }
  return undefined;
}

/** As the tokenizer of htmlparser2 uses it, which natter gives a whole text. */
export class EntityDecoder {
  #emit;
  #isAttribute = false;

  constructor(_tree, emit) {
    this.#emit = emit;
  }

  startEntity(mode) {
    this.#isAttribute = mode === DecodingMode.Attribute;
  }

  /** @returns the length of the reference, with `&`, or 0 */
  write(text, start) {
    const found = this.#find(text, start);
    if (found === undefined) return 0;
    for (const character of found.value) this.#emit(character.codePointAt(0), found.length + 1);
    return found.length + 1;
  }

  end() {}

  #find(text, start) {
    numeric.lastIndex = start;
    const number = numeric.exec(text);
    if (number) return { value: numbered(number[1], number[2]), length: number[0].length };
    named.lastIndex = start;
    const words = named.exec(text)?.[0];
    if (words === undefined) return undefined;
    const name = findName(words, this.#isAttribute, text[start + words.length] ?? '');
    return name && { value: valueOf(name.name), length: name.length };
  }
}
