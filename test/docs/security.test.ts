import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('SECURITY.md', 'utf8');

test('every promise of SECURITY.md names tests that exist', () => {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:promise|-)/.test(line));
  const named = rows.map((row) =>
    [...row.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path),
  );
  expect(rows.length).toBeGreaterThan(8);
  expect(named.filter((paths) => paths.length === 0)).toEqual([]);
  expect(named.flat().filter((path) => !existsSync(path))).toEqual([]);
});

test('natter has no runtime dependencies and runs no scripts at installation', () => {
  const { dependencies, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies?: object;
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(dependencies ?? {}).toEqual({});
  for (const name of ['preinstall', 'install', 'postinstall'])
    expect(scripts).not.toHaveProperty(name);
});
