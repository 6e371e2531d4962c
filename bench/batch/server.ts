// A service that is not the limit of a measurement: it answers each request with the same stream, in one write, and
// checks nothing. Prints its URL.
import { createServer, type AddressInfo, type Socket } from 'node:net';

const chunkOf = (fields: object, rest: object = {}) =>
  `data: ${JSON.stringify({
    id: 'bench-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'origin',
    choices: [{ index: 0, delta: fields, finish_reason: null }],
    ...rest,
  })}\n\n`;

const words = ['A number', ' is worth', ' knowing', ' for', ' its factors.'];

const events = [
  chunkOf({ role: 'assistant', content: '' }),
  ...words.map((content) => chunkOf({ content })),
  chunkOf({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunkOf({}, { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } }),
  'data: [DONE]\n\n',
].join('');

const answer = Buffer.from(
  [
    'HTTP/1.1 200 OK',
    'content-type: text/event-stream',
    'cache-control: no-cache',
    'transfer-encoding: chunked',
    '',
    `${Buffer.byteLength(events).toString(16)}\r\n${events}\r\n0\r\n\r\n`,
  ].join('\r\n'),
);

const headEnd = '\r\n\r\n';

/** The length of the first whole request; undefined if its end is missing. */
function requestLength(received: Buffer): number | undefined {
  const end = received.indexOf(headEnd);
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const whole = end + headEnd.length + length;
  return received.length < whole ? undefined : whole;
}

function serve(socket: Socket): void {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    for (;;) {
      const length = requestLength(received);
      if (length === undefined) return;
      received = received.subarray(length);
      socket.write(answer);
    }
  });
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
