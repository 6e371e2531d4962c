import { readFileSync } from 'node:fs';
import { decodeHTML, DecodingMode, EntityDecoder, htmlDecodeTree } from 'entities/decode';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** The characters of a name with its semicolon; undefined if more of the name is missing, null if there is none. */
function decode(name) {
  let value = '';
  const decoder = new EntityDecoder(htmlDecodeTree, (point) => {
    value += String.fromCodePoint(point);
  });
  decoder.startEntity(DecodingMode.Strict);
  const length = decoder.write(name, 0);
  if (length < 0) return undefined;
  return length > 0 ? value : null;
}

/** Every name of `entities`, with its characters: those that its decoder follows to the end. */
export function collectNames(prefix = '', found = new Map()) {
  for (const letter of letters) {
    const name = prefix + letter;
    if (decode(name) === null) continue;
    const value = decode(`${name};`);
    if (value) found.set(name, value);
    collectNames(name, found);
  }
  return found;
}

const isLegacy = (name, value) => decodeHTML(`&${name}`) === value;

/** The names by their characters, in the order of code points. */
function groupNames() {
  const groups = new Map();
  for (const [name, value] of collectNames()) {
    const marked = isLegacy(name, value) ? `${name}*` : name;
    groups.set(value, `${groups.get(value) ?? ''} ${marked}`);
  }
  const sorted = [...groups].map(([value, names]) => ({
    points: [...value].map((one) => one.codePointAt(0)),
    names,
  }));
  return sorted.sort(({ points: [one] }, { points: [other] }) => one - other);
}

/**
 * A text of groups `;<step>+<second code point> <name> <name> `, in base 36: the step from the code point of the group
 * before, omitted if it is 1. `*` follows names that need no semicolon.
 */
function writeTable() {
  let last = 0;
  let table = '';
  for (const { points, names } of groupNames()) {
    const [point, ...more] = points;
    const step = point - last === 1 ? '' : (point - last).toString(36);
    table += `;${step}${more.map((one) => `+${one.toString(36)}`).join('')}${names} `;
    last = point;
  }
  return table;
}

function decoderWithTable() {
  const code = readFileSync(new URL('entities-decode.js', import.meta.url), 'utf8');
  const changed = code.replace("const table = '';", `const table = '${writeTable()}';`);
  if (changed === code) throw new Error('entities-decode.js has no table');
  return changed;
}

/** Replaces `entities/decode`: its compressed table cannot be compressed again, and its tree needs more code. */
export function entitiesBundling() {
  return {
    name: 'entities-bundling',
    load: {
      filter: { id: /[\\/]entities[\\/]dist[\\/]decode\.js$/ },
      handler: decoderWithTable,
    },
  };
}
