import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type BodyControl, ReceivedBody } from '../../../src/client/http/undici/received-body.ts';
import type { ResponseHeaders } from '../../../src/client/http/transport.ts';
import { withJoinedReads } from '../../../src/commands/sandbox/joined-reads.ts';

const request = { method: 'POST', url: new URL('http://upstream.example'), headers: {} } as const;

async function open(headers: ResponseHeaders = {}) {
  const calls: string[] = [];
  const control: BodyControl = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    finish: (isWhole) => void calls.push(isWhole ? 'whole' : 'stopped'),
  };
  const received = new ReceivedBody(control);
  const send = withJoinedReads(async () => ({
    status: 200,
    headers,
    body: received,
    destroy() {},
  }));
  const { body } = await send(request, new AbortController().signal);
  const push = (...texts: readonly string[]) => {
    for (const text of texts) received.push(Buffer.from(text));
  };
  return { calls, received, push, steps: body[Symbol.asyncIterator]() };
}

async function textOf(step: Promise<IteratorResult<Uint8Array>>): Promise<string> {
  const { value, done } = await step;
  return done === true ? '(end)' : Buffer.from(value).toString();
}

test('what arrives in one turn of the event loop is one step', async () => {
  const { push, steps, received } = await open();
  const first = textOf(steps.next());
  push('a', 'b', 'c');
  expect(await first).toBe('abc');
  const second = textOf(steps.next());
  push('d');
  expect(await second).toBe('d');
  received.end();
  expect(await textOf(steps.next())).toBe('(end)');
});

test('an error comes after what arrived before it', async () => {
  const { push, steps, received } = await open();
  const first = textOf(steps.next());
  push('a', 'b');
  received.cut(new Error('reset'));
  expect(await first).toBe('ab');
  await expect(steps.next()).rejects.toThrow('reset');
});

test('the network is paused while nothing is read', async () => {
  const { calls, push, steps } = await open();
  push('a');
  expect(await textOf(steps.next())).toBe('a');
  push('x'.repeat(70_000));
  await nextTurn();
  expect(calls.filter((call) => call === 'pause')).toHaveLength(1);
  push('x'.repeat(70_000));
  await nextTurn();
  expect(calls.at(-1)).toBe('pause');
  expect((await steps.next()).value).toHaveLength(70_000);
  await nextTurn();
  expect(calls.at(-1)).toBe('resume');
});

test('to stop before the end closes the body', async () => {
  const { calls, push, steps } = await open();
  push('a');
  await steps.next();
  await steps.return?.();
  expect(calls).toEqual(['stopped']);
  expect(await textOf(steps.next())).toBe('(end)');
});

test('a compressed body is left as it is', async () => {
  const { push, steps } = await open({ 'content-encoding': 'gzip' });
  push('a', 'b');
  expect(await textOf(steps.next())).toBe('a');
});
