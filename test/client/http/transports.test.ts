import { expect, test } from 'vitest';
import { nodeNetwork } from '../../../src/client/http/node-network.ts';
import type { OpenNetwork } from '../../../src/client/http/transport.ts';
import { undiciNetwork } from '../../../src/client/http/undici-network.ts';
import { Failure } from '../../../src/failure.ts';
import { fc } from '../../support/properties.ts';
import { delta, done, json, stream, streamed } from '../../support/raw-replies.ts';
import { fin, startRawServer } from '../../support/raw-server.ts';
import { createTestClient, failureOf, runChat } from '../../support/run-chat.ts';
import { serve } from '../../support/serve.ts';

const whole = {
  choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

const responses = [
  Buffer.concat(stream(delta('Hel'), delta('lo') + done)),
  streamed('Hello'),
  json(200, whole),
  json(500, { error: { message: 'Sorry' } }),
];

/** Bytes that parsers read differently in a head, or in the line with the size of a chunk. */
const tokens = ['', '\r\n', ';a', ';a="b', ...Array.from('\n\r \t:;",0-\0\u00ff')];
/** With the end of the line before them. */
const lines = [
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'content-length: 3',
  'content-length:\t3, 3',
  'connection: close',
  'trailer: x',
  'x-note: caf\u00e9',
  ' folded',
  `x-long: ${'x'.repeat(20_000)}`,
].map((line) => `\r\n${line}`);

/** One change of a response: some bytes instead of others, at any place or at the end of a line of its frame. */
const damage = fc.noBias(
  fc.record({
    place: fc.nat(100_000),
    isLineEnd: fc.boolean(),
    removed: fc.constantFrom(0, 0, 1, 2),
    added: fc
      .constantFrom(...tokens, ...tokens, ...lines)
      .map((text) => Buffer.from(text, 'latin1')),
  }),
);

/** The places before the ends of lines, which are none within events. */
function lineEnds(reply: Buffer): readonly number[] {
  const ends: number[] = [];
  for (let at = reply.indexOf('\r\n'); at !== -1; at = reply.indexOf('\r\n', at + 1)) ends.push(at);
  return ends;
}

const damagedResponse = fc
  .tuple(fc.constantFrom(...responses), fc.array(damage, { minLength: 1, maxLength: 2 }))
  .map(([response, damages]) =>
    damages.reduce((reply, { place, isLineEnd, removed, added }) => {
      const ends = lineEnds(reply);
      const start = isLineEnd ? (ends[place % ends.length] ?? 0) : place % reply.length;
      const rest = reply.subarray(start + (isLineEnd ? 0 : removed));
      return Buffer.concat([reply.subarray(0, start), added, rest]);
    }, response),
  );

async function outcomeOf(network: OpenNetwork, reply: Buffer): Promise<string> {
  const server = await startRawServer([[reply, fin]]);
  const set = createTestClient(server.url, { network, retries: 0 });
  try {
    const { text, error } = await runChat(set);
    if (error === undefined) return `answered ${text}`;
    if (!(error instanceof Failure)) throw error;
    return 'failed';
  } finally {
    set.client.close();
    await server.stop();
  }
}

// The clock of these clients does not advance, so a response that waited for a time limit would never end.
test('F2 200 damaged responses have the same outcome over both transports', async () => {
  let answered = 0;
  const property = fc.asyncProperty(damagedResponse, async (reply) => {
    const outcome = await outcomeOf(nodeNetwork, reply);
    expect(await outcomeOf(undiciNetwork, reply)).toBe(outcome);
    if (outcome !== 'failed') answered += 1;
  });
  await fc.assert(property, { numRuns: 200 });
  // Otherwise the damage would be too great to show a difference.
  expect(answered).toBeGreaterThan(20);
});

const clientOf = (baseUrl: string, headers: Readonly<Record<string, string>> = {}) =>
  createTestClient(baseUrl, { headers, network: undiciNetwork, retries: 0 });

test.each([
  ['transfer-encoding', '100-continue'],
  ['expect', '100-continue'],
  ['upgrade', '100-continue'],
  ['content-length', '5'],
])('a header %s, which undici refuses, is a failure that names it', async (name, value) => {
  const server = await serve([[streamed('Hello')]]);
  const failure = failureOf(await runChat(clientOf(server.url, { [name]: value })));
  expect(failure).toMatchObject({ kind: 'configuration', attempts: 1 });
  expect(failure.message).toContain(name);
  expect(server.requests).toHaveLength(0);
});

test('closing the client ends a connection that is being opened', async () => {
  const silent = await serve([[]]);
  const set = clientOf(silent.url.replace('http:', 'https:'));
  const answer = runChat(set);
  await silent.connected(1);
  set.client.close();
  expect(failureOf(await answer).message).toBe('the client was closed');
  await silent.idle();
});
