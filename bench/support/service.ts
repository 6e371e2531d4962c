// The service of the benchmarks, run in a separate process: /<n>/v1/chat/completions streams n chunks of 247 bytes with
// 6 bytes of text each, 64 per write, as fast as they are read.
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

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

const batchSize = 64;
const piece = chunk({ content: 'abcde ' });
const batch = piece.repeat(batchSize);

function ending(count: number): string {
  const usage = { prompt_tokens: 5, completion_tokens: count, total_tokens: count + 5 };
  return `${chunk({}, 'stop')}${event({ ...head, choices: [], usage })}data: [DONE]\n\n`;
}

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
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  go();
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const count = Number(request.url?.split('/')[1]);
  request.resume().once('end', () => stream(response, count));
}

const certificates = process.argv[2] ?? '.';
const certificate = {
  key: readFileSync(join(certificates, 'server-key.pem')),
  cert: readFileSync(join(certificates, 'server.pem')),
};
const servers = [createPlain(answer), createSecure(certificate, answer)];
for (const server of servers) {
  server.listen(0, '127.0.0.1', () => {
    if (!servers.every(({ listening }) => listening)) return;
    const ports = servers.map((each) => (each.address() as AddressInfo).port);
    process.send?.(ports);
  });
}
process.once('disconnect', () => process.exit());
