import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../src/cli/program.ts';
import { createMemoryContext } from './support/memory-context.ts';

/** A row of ARCHITECTURE.md's table. */
interface Layer {
  readonly name: string;
  readonly own: readonly string[];
  readonly packages: readonly string[];
}

const architecture = readFileSync('ARCHITECTURE.md', 'utf8');

function list(cell: string): readonly string[] {
  return cell.trim() === '-' ? [] : cell.split(',').map((name) => name.trim());
}

function readLayers(): readonly Layer[] {
  const table = architecture.slice(architecture.search(/^\| layer/m)).split('\n\n')[0] ?? '';
  const rows = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').slice(1, -1));
  const [shared = []] = rows.map(([names = '']) => list(names));
  return rows.flatMap(([names = '', , own = '', packages = '']) =>
    list(names).map((name) => ({
      name,
      own: [...shared, ...list(own)],
      packages: list(packages),
    })),
  );
}

function sourceFiles(): readonly string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join('src', path));
}

/** Module names of every static, type-only and dynamic import. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /(?:\bfrom|^import) '(?<module>[^']+)'(?: with .*)?;?$|\bimport\('(?<lazy>[^']+)'\)/gm,
  );
  return [...found].map(({ groups }) => groups?.['module'] ?? groups?.['lazy'] ?? '');
}

/** `client` for a file of that folder, `main` for src/main.ts. */
function layerOf(path: string): string {
  const [first = ''] = relative('src', path).split('/');
  return first.replace(/\.tsx?$/, '');
}

function isAllowed(layer: Layer, from: string, name: string): boolean {
  if (name.startsWith('node:')) return true;
  if (!name.startsWith('.')) {
    return layer.packages.some((allowed) => name === allowed || name.startsWith(`${allowed}/`));
  }
  const target = join(dirname(from), name);
  if (target === 'package.json') return ['main', 'library'].includes(layer.name);
  const place = relative('src', target).replace(/\.tsx?$/, '');
  return [layer.name, ...layer.own].some(
    (allowed) => place === allowed || place.startsWith(`${allowed}/`),
  );
}

const layers = readLayers();

describe('the layers of ARCHITECTURE.md', () => {
  test('name exactly the folders and files of src', () => {
    const places = readdirSync('src').map((name) => name.replace(/\.tsx?$/, ''));
    expect(layers.map((layer) => layer.name).sort()).toEqual(places.sort());
  });

  test.each(layers)('$name imports only what its row allows', (layer) => {
    const files = sourceFiles().filter((path) => layerOf(path) === layer.name);
    const violations = files.flatMap((path) =>
      importsOf(path)
        .filter((name) => !isAllowed(layer, path, name))
        .map((name) => `${path} imports ${name}`),
    );
    expect(files).not.toEqual([]);
    expect(violations).toEqual([]);
  });

  test('a forbidden import is detected', () => {
    const layer: Layer = { name: 'sandbox', own: ['client/contract'], packages: [] };
    const found = ['../client/contract.ts', '../client/base-url.ts', 'conf'].map((name) =>
      isAllowed(layer, 'src/sandbox/server.ts', name),
    );
    expect(found).toEqual([true, false, false]);
  });
});

test('ARCHITECTURE.md names files and folders that exist', () => {
  const named = [...architecture.matchAll(/`([\w./-]+(?:\.(?:tsx?|cjs|md)|\/))`/g)];
  const paths = named.map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => ![path, join('src', path)].some((at) => existsSync(at)))).toEqual(
    [],
  );
});

test('test/support/README.md lists each file of its folder once', () => {
  const readme = readFileSync('test/support/README.md', 'utf8');
  const listed = [...readme.matchAll(/^- `([\w.-]+)`: /gm)].map(([, name = '']) => name);
  const files = readdirSync('test/support').filter((name) => name !== 'README.md');
  expect(listed.sort()).toEqual(files.sort());
});

test('src/commands has a folder for each command', () => {
  const { context } = createMemoryContext();
  const commands = buildProgram(context).commands.map((command) => command.name());
  expect(readdirSync('src/commands').sort()).toEqual(commands.sort());
});

const device = 'src/terminal/device';
test.each([
  [
    'use the process only in main, the library and the files for streams, signals and the terminal',
    /\bprocess\.(?:env|argv|cwd|exit|exitCode|kill|on|std\w+|platform|pid)\b/,
    [
      'src/library.ts',
      'src/main.ts',
      'src/repl/shell/shell-command.ts',
      ...['device', 'signals', 'streams'].map((name) => `${device}/${name}.ts`),
    ],
  ],
  // On Windows a signal cannot end a process.
  ['call process.exit only after a signal', /\bprocess\.exit\(/, [`${device}/signals.ts`]],
  ['never use the console', /\bconsole\./, []],
])('sources %s', (_what, pattern, allowed) => {
  const users = sourceFiles().filter((path) => pattern.test(readFileSync(path, 'utf8')));
  expect(users.filter((path) => !allowed.includes(path))).toEqual([]);
});

test('random tests have a seed: only test/support imports fast-check', () => {
  const names = readdirSync('test', { recursive: true, encoding: 'utf8' });
  const importing = names.filter(
    (name) =>
      /\.tsx?$/.test(name) &&
      /^import .* from 'fast-check';$/m.test(readFileSync(join('test', name), 'utf8')),
  );
  expect(importing).toEqual([join('support', 'properties.ts')]);
});
