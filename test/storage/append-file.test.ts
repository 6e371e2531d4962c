import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendFile } from '../../src/storage/append-file.ts';

const missingFile = () => join(mkdtempSync(join(tmpdir(), 'natter-append-')), 'journal.jsonl');

test('a flush of a missing file fails', async () => {
  await expect(appendFile.synchronize(missingFile())).rejects.toMatchObject({ code: 'ENOENT' });
});
