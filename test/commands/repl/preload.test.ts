import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Loaded before the conversation begins, or right after the first frame. */
const loadedAtStart = [
  'src/commands/repl/preload.ts',
  'src/commands/repl/prompts-port.ts',
  'src/commands/repl/start-list.ts',
  'src/commands/service/other-profiles.ts',
  'src/repl/editing/keys/key-bindings.ts',
  'src/repl/line-mode/run-line-mode.ts',
  'src/repl/live/start-live.ts',
  'src/repl/live/window-watch.ts',
  'src/repl/reducer/vi-keys.ts',
];

const preload = 'src/commands/repl/preload.ts';

/** The modules that a file loads by `import(…)`. */
function loadedBy(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(/import\(\s*'(\.[^']+)',?\s*\)/g);
  return Array.from(found, ([, module = '']) => join(dirname(file), module).replaceAll('\\', '/'));
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .filter((file) => file.replaceAll('\\', '/') !== preload);

test('every module that a conversation may load later is loaded in advance', () => {
  const files = ['src/repl', 'src/commands/repl'].flatMap(filesBelow);
  const needed = new Set(files.flatMap(loadedBy));
  for (const module of [...loadedAtStart, ...loadedBy(preload)]) needed.delete(module);
  expect([...needed]).toEqual([]);
});
