import { Failure } from '../failure.ts';
import { jsonTokens } from '../json.ts';

/** Git Bash turns an argument such as `/name` into the path of a file. */
const isConverted = (text: string) => /^[A-Za-z]:[\\/]/.test(text);

/** The names and indexes of the JSON Pointer of `--select` (RFC 6901). @throws Failure `usage` */
export function parsePointer(text: string): readonly string[] {
  if (text === '') return [];
  if (!text.startsWith('/')) {
    throw new Failure('usage', '--select must be a JSON Pointer such as /items/0/name', {
      hint: isConverted(text)
        ? 'Git Bash turned it into a path; set MSYS_NO_PATHCONV=1'
        : 'begin it with /, and put / between names and indexes (from 0)',
    });
  }
  if (/~(?![01])/.test(text)) {
    throw new Failure('usage', '--select has a ~ that is not part of ~0 or ~1', {
      hint: 'in a name, write ~0 for ~ and ~1 for /',
    });
  }
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The last member of an object with this name, as `JSON.parse` takes it, or the item of a list. */
function memberOf(json: string, name: string): string | undefined {
  const isObject = json.startsWith('{');
  let found: string | undefined;
  let index = 0;
  let depth = 0;
  /** The current member: its name, and where its value starts. */
  let key: string | undefined;
  let start: number | undefined;
  let end = 0;
  for (const { token, start: at } of jsonTokens(json)) {
    const isClosing = token === '}' || token === ']';
    if (depth === 1 && (isClosing || token === ',')) {
      const isNamed = (isObject ? key : String(index)) === name;
      if (isNamed && start !== undefined) found = json.slice(start, end);
      index += 1;
      key = start = undefined;
    } else if (depth === 1 && isObject && key === undefined) key = JSON.parse(token) as string;
    else if (depth === 1 && token !== ':') start ??= at;
    if (isClosing) depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
    end = at + token.length;
  }
  return found;
}

/** The text of the value at a pointer, with its own spaces and digits; undefined if there is none. @param json valid JSON */
export function textAt(json: string, pointer: readonly string[]): string | undefined {
  let found: string | undefined = json.trim();
  for (const token of pointer) {
    if (found === undefined) return undefined;
    found = memberOf(found, token);
  }
  return found;
}

/** JSON text on one line: without the spaces between its tokens. @param json valid JSON */
export function compactJson(json: string): string {
  return json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/gs, '$1');
}
