import { PassThrough } from 'node:stream';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAsk } from '../../../src/terminal/device/ask.ts';

/** A person at a terminal in memory. */
function openAsk() {
  const input = new PassThrough();
  const screen = new PassThrough();
  const shown: string[] = [];
  screen.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
  const interruptions: unknown[] = [];
  const ask = createAsk(
    () => input as unknown as NodeJS.ReadStream,
    () => screen as unknown as NodeJS.WriteStream,
    async () => undefined,
    (reason) => interruptions.push(reason),
  );
  onTestFinished(ask.end);
  return {
    ask,
    interruptions,
    shown: () => shown.join(''),
    type: async (text: string) => {
      await tick();
      input.write(text);
      await tick();
      await tick();
    },
  };
}

test('Y16: text typed between two questions is not shown, and answers the next one', async () => {
  const { ask, type, shown } = openAsk();
  const first = ask('Address: ', { keep: true });
  await type('here\r');
  expect(await first).toBe('here');
  await type('secret\r');
  expect(await ask('Key: ', { hidden: true, keep: true })).toBe('secret');
  expect(shown()).toMatch(/Address: [^]*here[^]*Key: /);
  expect(shown()).not.toContain('secret');
});

test('Y16: a paste answers two questions, and its second line is not shown', async () => {
  const { ask, type, shown } = openAsk();
  const first = ask('Address: ', { keep: true });
  await type('here\rsecret\r');
  expect([await first, await ask('Key: ', { hidden: true })]).toEqual(['here', 'secret']);
  expect(shown()).not.toContain('secret');
});

test('an end of the input between two questions fails the next one', async () => {
  const { ask, type } = openAsk();
  const first = ask('Address: ', { keep: true });
  await type('here\r\u0004');
  await first;
  await expect(ask('Key: ', { hidden: true })).rejects.toMatchObject({ kind: 'usage' });
});

test('Y16: text typed before a question with discardTyped does not answer it', async () => {
  const { ask, type, shown } = openAsk();
  const first = ask('Address: ', { keep: true });
  await type('wrong\r');
  await first;
  await type('a secret\rand half of');
  const second = ask('Address: ', { keep: true, discardTyped: true });
  await type('right\r');
  expect(await second).toBe('right');
  expect(shown()).not.toMatch(/secret|half/);
});

test('Y16: Ctrl+C rejects the question, or interrupts the work between two', async () => {
  const { ask, type, interruptions } = openAsk();
  const first = ask('Address: ', { keep: true });
  await type('here\r');
  await first;
  await type('\u0003');
  expect(interruptions).toMatchObject([{ signal: 'SIGINT' }]);
  const second = ask('Key: ', { hidden: true });
  const [outcome] = await Promise.allSettled([second, type('\u0003')]);
  expect(outcome).toMatchObject({ reason: { signal: 'SIGINT' } });
});

test.each([
  ['before it is shown', ''],
  ['while it is answered', 'half of'],
])('a question that is aborted %s rejects with the reason', async (_when, typed) => {
  const { ask, type } = openAsk();
  const abort = new AbortController();
  const asked = ask('Key: ', { hidden: true, signal: abort.signal });
  if (typed !== '') await type(typed);
  abort.abort(new Error('enough'));
  const [outcome] = await Promise.allSettled([asked]);
  expect(outcome).toMatchObject({ reason: { message: 'enough' } });
});
