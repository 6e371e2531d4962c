import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';

// A socket exists, and reading it fails for every user.
test.skipIf(process.platform === 'win32')(
  'the name of a file that cannot be read is never a field of a schema',
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'natter-schema-'));
    const server = createServer().listen(join(cwd, 'person'));
    await once(server, 'listening');
    const words = ['--sandbox', '--schema', 'person', 'who?'];
    const { code, stdout, stderr } = await runInMemory(words, { cwd });
    server.close();
    expect(stderr).toContain('natter: cannot read person: ');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  },
);
