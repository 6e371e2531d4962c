/** Words that YAML 1.1 or 1.2 reads as other values. */
const otherValue = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const plain = /^\p{L}(?:[\p{L}\p{N} _.,;()/+-]*[\p{L}\p{N}_.;()/+])?$/u;

/** Lines that a block keeps as they are. */
const blockable = /^[^\s\p{C}](?:[^\p{C}\u{2028}\u{2029}]|\n)*\S\n?$/u;

/** As JSON, with the characters escaped that YAML does not allow in a file. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const isPlain = (text: unknown) =>
  typeof text === 'string' && plain.test(text) && !otherValue.test(text);

function scalarText(value: unknown, indent: string): string {
  if (isPlain(value)) return String(value);
  if (typeof value !== 'string' || !value.includes('\n') || !blockable.test(value)) {
    return quoted(value);
  }
  const [mark, lines] = value.endsWith('\n') ? ['|', value.slice(0, -1)] : ['|-', value];
  return `${mark}\n${lines.replaceAll(/^(?=.)/gm, indent)}`;
}

/** The longest key that YAML reads without a mark before it. */
const longestKey = 1000;

function keyText(key: string, indent: string): string {
  const text = isPlain(key) ? key : quoted(key);
  return text.length > longestKey ? `? ${text}\n${indent}:` : `${text}:`;
}

const isFilled = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** The lines of a list or mapping that is not empty. */
function linesOf(value: object, indent: string): string {
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => {
        const text = isFilled(item) ? linesOf(item, inner).trimStart() : scalarText(item, inner);
        return `${indent}- ${text}`;
      })
    : Object.entries(value).map(([key, member]: [string, unknown]) => {
        const text = isFilled(member)
          ? `\n${linesOf(member, inner)}`
          : ` ${scalarText(member, inner)}`;
        return `${indent}${keyText(key, indent)}${text}`;
      });
  return lines.join('\n');
}

/** A value of JSON as YAML, with long texts in blocks. */
export function yamlText(value: unknown): string {
  return `${isFilled(value) ? linesOf(value, '') : scalarText(value, '  ')}\n`;
}
