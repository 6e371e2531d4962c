import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chunk, delta, streamHead } from '../support/raw-replies.ts';
import { prompt } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

test.each([
  ['plain', {}, Buffer.from(delta('Hel'))],
  ['compressed', { 'content-encoding': 'gzip' }, gzipSync(delta('Hel'))],
])(
  'R21 %s text that came before a cut is kept when its reader is late',
  async (_name, headers, body) => {
    const reply = Buffer.concat([streamHead(headers), chunk(body)]);
    const { server, client } = await serveClient([[reply, 'fin']]);
    const events = client.chat(prompt)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'answer-started' });
    await server.idle();
    expect((await events.next()).value).toEqual({ type: 'answer-named', id: 'chatcmpl-1' });
    expect((await events.next()).value).toMatchObject({ type: 'text-received', text: 'Hel' });
    await expect(events.next()).rejects.toMatchObject({ kind: 'incomplete' });
    expect(server.requests).toHaveLength(1);
  },
);
