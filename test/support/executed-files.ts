import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The fields of a script in V8's coverage that are used here. */
interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** Offsets in UTF-16 code units. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Returns line and column of an offset, both from zero. */
function createLocator(text: string): (offset: number) => readonly [number, number] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return [line, offset - (starts[line] ?? 0)];
  };
}

/** Finds the source file of a function; undefined for a function that the bundler added. */
function createFinder(chunk: string, code: string): (range: Range) => string | undefined {
  const map = new SourceMap(JSON.parse(readFileSync(`${chunk}.map`, 'utf8')));
  const locate = createLocator(code);
  return ({ startOffset, endOffset }) => {
    for (let offset = startOffset; offset < endOffset; offset += 1) {
      const [line, column] = locate(offset);
      const entry = map.findEntry(line, column);
      // Without an entry at this position, the map returns the last one before it.
      if (!('originalSource' in entry) || entry.generatedColumn !== column) continue;
      return relative('src', resolve(dirname(chunk), entry.originalSource));
    }
    return undefined;
  };
}

const readScripts = (coverage: string): readonly Script[] =>
  (JSON.parse(readFileSync(coverage, 'utf8')) as { result: readonly Script[] }).result;

/** The path of a chunk of the bundle; empty for any other script. */
function chunkOf({ url }: Script): string {
  const path = url.startsWith('file:') ? fileURLToPath(url) : '';
  return path.startsWith(resolve('dist')) ? path : '';
}

/** The chunks of the bundle that the built program loaded. @param coverage as for {@link executedFiles} */
export function loadedFiles(coverage: string): readonly string[] {
  return readScripts(coverage)
    .map(chunkOf)
    .filter((path) => path !== '');
}

/** The files whose functions ran in one chunk of the bundle. */
function filesOf(script: Script): readonly string[] {
  const { functions } = script;
  const chunk = chunkOf(script);
  if (chunk === '' || !existsSync(`${chunk}.map`)) return [];
  const code = readFileSync(chunk, 'utf8');
  const find = createFinder(chunk, code);
  return (
    functions
      .flatMap(({ ranges: [whole] }) => whole ?? [])
      .filter(({ count }) => count > 0)
      // The function that is the whole chunk runs when the chunk is loaded.
      .filter(({ startOffset, endOffset }) => endOffset - startOffset < code.length)
      .map((range) => find(range) ?? '..')
      .filter((path) => !path.startsWith('..'))
  );
}

/**
 * The files of src, such as `client/http/exchange.ts`, of which the built program executed a function.
 * @param coverage path of a file that Node wrote for NODE_V8_COVERAGE
 */
export function executedFiles(coverage: string): ReadonlySet<string> {
  return new Set(readScripts(coverage).flatMap(filesOf));
}

/** The coverage files in a folder, in the order Node wrote them. */
export function coverageFiles(folder: string): readonly string[] {
  const order = (name: string) => Number(/-(\d+)\.json$/.exec(name)?.[1]);
  return readdirSync(folder)
    .sort((one, other) => order(one) - order(other))
    .map((name) => join(folder, name));
}
