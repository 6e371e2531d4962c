import { Failure } from '../failure.ts';

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

const space = /\s*/y;
const text = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
const scalar = /[^\s,\]}]+/y;

function take(pattern: RegExp, json: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(json)?.[0].length ?? 0);
}

/** Where the value that begins at `start` ends. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const character = json[at];
    if (character === '"') at = take(text, json, at);
    else if (character === '{' || character === '[') {
      depth += 1;
      at += 1;
    } else if (character === '}' || character === ']') {
      depth -= 1;
      at += 1;
    } else if (character === ',' || character === ':') at += 1;
    else at = take(scalar, json, at);
    if (depth > 0) at = take(space, json, at);
  } while (depth > 0 && at < json.length);
  return at;
}

/** The last member of an object with this name, as `JSON.parse` takes it, or the item of a list. */
function memberOf(json: string, token: string): string | undefined {
  const isObject = json.startsWith('{');
  if (!isObject && !json.startsWith('[')) return undefined;
  let found: string | undefined;
  let index = 0;
  let at = take(space, json, 1);
  while (at < json.length - 1) {
    let name = String(index);
    if (isObject) {
      const end = take(text, json, at);
      name = JSON.parse(json.slice(at, end)) as string;
      at = take(space, json, take(space, json, end) + 1);
    }
    const end = endOfValue(json, at);
    if (name === token) found = json.slice(at, end);
    // Behind the comma.
    at = take(space, json, take(space, json, end) + 1);
    index += 1;
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
