import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeFile } from '../../src/storage/files.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'natter-remove-'));

test('removes a file, and accepts a missing one', () => {
  const path = join(folder(), 'file');
  writeFileSync(path, '');
  removeFile(path);
  expect(existsSync(path)).toBe(false);
  expect(() => removeFile(path)).not.toThrow();
});

test('throws for a folder', () => {
  expect(() => removeFile(folder())).toThrow(/EISDIR|EPERM/);
});
