// The services of the benchmarks, in a separate process: `service.js <folder of certificates>`.
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deltas } from './answer.ts';

const head = {
  id: 'chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz0123',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'origin',
  system_fingerprint: 'fp_0123456789',
};

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

const chunk = (delta: object, finishReason: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });

const first = chunk({ role: 'assistant', content: '' });

function ending(count: number): string {
  const usage = { prompt_tokens: 5, completion_tokens: count, total_tokens: count + 5 };
  return `${chunk({}, 'stop')}${event({ ...head, choices: [], usage })}data: [DONE]\n\n`;
}

const batchSize = 64;
const piece = chunk({ content: 'abcde ' });
const batch = piece.repeat(batchSize);

/** As fast as the chunks are read, 64 in a write. */
function stream(response: ServerResponse, count: number): void {
  let sent = 0;
  const go = (): void => {
    while (sent < count) {
      const next = Math.min(batchSize, count - sent);
      sent += next;
      if (!response.write(next === batchSize ? batch : piece.repeat(next))) {
        response.once('drain', go);
        return;
      }
    }
    response.end(ending(count));
  };
  go();
}

/** Each chunk when it is due, several at once where timers are coarser. */
async function pace(response: ServerResponse, count: number, rate: number): Promise<void> {
  const begin = performance.now();
  let sent = 0;
  for (const content of deltas(count)) {
    const due = begin + (sent / rate) * 1000;
    if (due - performance.now() > 1) await sleep(due - performance.now());
    response.write(chunk({ content }));
    sent += 1;
  }
  response.end(ending(count));
}

/**
 * `/<n>/v1/chat/completions` streams n chunks of 247 bytes with 6 bytes of text each. `/<n>/<rate>/v1/…` streams n
 * chunks of a Markdown answer, `rate` in a second.
 */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, count, rate] = (request.url ?? '').split('/').map(Number);
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(first);
    if (rate === undefined || Number.isNaN(rate)) stream(response, count ?? 0);
    else void pace(response, count ?? 0, rate);
  });
}

const short = `${first}${piece.repeat(5)}${ending(5)}`;
const shortAnswer = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'content-type: text/event-stream',
    'transfer-encoding: chunked',
    '',
    `${Buffer.byteLength(short).toString(16)}\r\n${short}\r\n0\r\n\r\n`,
  ].join('\r\n'),
);

const headEnd = '\r\n\r\n';

/** The length of the first whole request; undefined if its end is missing. */
function requestLength(received: Buffer): number | undefined {
  const end = received.indexOf(headEnd);
  if (end === -1) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, end))?.[1];
  const whole = end + headEnd.length + Number(length ?? 0);
  return received.length < whole ? undefined : whole;
}

/** Answers each request with the same nine events in one write, and checks nothing: it is not the limit of a measurement. */
function answerFast(socket: Socket): void {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    for (;;) {
      const length = requestLength(received);
      if (length === undefined) return;
      received = received.subarray(length);
      socket.write(shortAnswer);
    }
  });
}

const certificates = process.argv[2] ?? '.';
const certificate = {
  key: readFileSync(join(certificates, 'server-key.pem')),
  cert: readFileSync(join(certificates, 'server.pem')),
};
const servers = [createPlain(answer), createSecure(certificate, answer), createTcp(answerFast)];
for (const server of servers) {
  server.listen(0, '127.0.0.1', () => {
    if (!servers.every(({ listening }) => listening)) return;
    process.send?.(servers.map((each) => (each.address() as AddressInfo).port));
  });
}
process.once('disconnect', () => process.exit());
