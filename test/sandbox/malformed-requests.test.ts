// Random malformed bodies: each may get any answer, and none may do harm.

import { expect, test } from 'vitest';
import { faultFields } from '../../src/sandbox/faults/fault-fields.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { fc } from '../support/properties.ts';
import { complete, openSandbox, openSocket, rawHead } from './sandbox-helpers.ts';

const word = fc.oneof(
  fc.constantFrom(...faultFields.map(({ name }) => name), 'help', 'million', '500', '"', "'", ']'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

/** `[sandbox …]` groups, mostly invalid. */
const group = fc
  .array(fc.tuple(word, fc.constantFrom('', '=', '="'), word), { maxLength: 4 })
  .map((fields) => `[sandbox ${fields.map((parts) => parts.join('')).join(' ')}] hi`);

const wellFormed = fc
  .record({
    model: fc.constantFrom<unknown>('origin', 'nextgen', '', {}),
    messages: fc.oneof(
      fc.array(fc.record({ role: fc.constantFrom('user', 'tool', 1), content: group })),
      fc.jsonValue(),
    ),
    stream: fc.constantFrom<unknown>(true, false, 1),
    max_tokens: fc.jsonValue(),
  })
  .map((value) => JSON.stringify(value));

const body = fc.oneof(
  { weight: 3, arbitrary: wellFormed.map((text) => Buffer.from(text)) },
  fc.nat(20_000).map((depth) => Buffer.from(`${'[{"a":'.repeat(depth)}0`)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(`\uFEFF${text}`)),
  wellFormed.map((text) => Buffer.from(text, 'utf16le')),
);

test('X5, X6: the sandbox answers after 500 malformed requests, without an error of its own', async () => {
  const broken: string[] = [];
  const sandbox = await openSandbox({
    log(line) {
      const { problem = '' } = JSON.parse(line) as { problem?: string };
      if (/Error: |cannot be logged/.test(problem)) broken.push(line.slice(0, 2000));
    },
  });
  for (const bytes of fc.sample(body, 500)) {
    const socket = await openSocket(sandbox, rawHead(bytes.length, sandboxKey));
    const answered = new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
    // Some groups ask for an answer that never begins.
    const timer = setTimeout(() => socket.destroy(), 200);
    socket.write(bytes);
    await answered;
    clearTimeout(timer);
    socket.destroy();
  }
  expect((await complete(sandbox, '[sandbox echo] still here')).status).toBe(200);
  expect(broken).toEqual([]);
});
