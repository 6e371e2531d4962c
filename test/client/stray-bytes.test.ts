import { expect, test } from 'vitest';
import { chunk, delta, streamed, streamHead } from '../support/raw-replies.ts';
import { failureOf, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test('an answer that is followed by bytes of no response is whole all the same', async () => {
  const setting = await serveClient([[Buffer.concat([streamed('Hello'), Buffer.from('stray')])]]);
  const run = await runChat(setting);
  expect(run.error).toBeUndefined();
  expect(run.text).toBe('Hello');
});

test('text that came in one read with a broken chunk is kept', async () => {
  const broken = [streamHead(), chunk(delta('Hello')), Buffer.from('zz\r\nno chunk')];
  const run = await runChat(await serveClient([[Buffer.concat(broken)]]));
  expect(run.text).toBe('Hello');
  expect(failureOf(run).kind).toBe('incomplete');
});
