import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { fc } from '../support/properties.ts';
import { chunk, delta, done, event, finish, head, lastChunk } from '../support/raw-replies.ts';
import { fin, reset, type Reply, startRawServer } from '../support/raw-server.ts';

const texts = [
  'tea ',
  'é',
  '日本',
  '🫖',
  '\n',
  '\n\n',
  '```',
  '**',
  '\\',
  '"',
  '\u001B[31m',
  ' ',
  '',
];

/** Events that carry no text, and that no reader may stop at. */
const fillers = [
  ': comment\n\n',
  'event: ping\ndata: {"choices":[]}\n\n',
  'id: 1\nretry: 5\n\n',
  event({ choices: [] }),
  event({ choices: [{ index: 0, delta: {} }] }),
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: null } }] }),
  event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
];

/** Events that end an answer as failed. */
const breaks = [
  'data: {"choices":[{"index":0,"delta":{"content":"lost\n\n',
  'data: nonsense\n\n',
  event({ error: { message: 'overloaded', type: 'server_error' } }),
];

type Piece = { readonly text: string } | { readonly raw: string; readonly isBreak: boolean };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts).map((text) => ({ text })) },
  { weight: 2, arbitrary: fc.constantFrom(...fillers).map((raw) => ({ raw, isBreak: false })) },
  { weight: 1, arbitrary: fc.constantFrom(...breaks).map((raw) => ({ raw, isBreak: true })) },
);

const ends = ['done', 'reason', 'both', 'none'] as const;
const framings = ['chunked', 'length', 'close', 'short', 'cut', 'reset', 'no last chunk'] as const;

const statuses = [200, 200, 200, 200, 200, 201, 204, 301, 400, 401, 404, 413, 429, 500, 503];

const shape = fc.record({
  pieces: fc.array(piece, { maxLength: 12 }),
  end: fc.constantFrom(...ends, ...ends.slice(0, 3)),
  framing: fc.constantFrom(...framings, ...framings.slice(0, 3)),
  status: fc.constantFrom(...statuses),
  contentType: fc.constantFrom(
    'text/event-stream',
    'text/event-stream; charset=utf-8',
    'text/plain',
    '',
  ),
  lineEnd: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  isCompressed: fc.constantFrom(false, false, false, true),
  extra: fc.constantFrom('', 'x-request-id: 1', 'x-long: x', 'retry-after: 0'),
  /** Sizes of the writes, in turn. */
  sizes: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
  /** Milliseconds between two writes. */
  pause: fc.constantFrom(0, 0, 0, 1),
  cutAt: fc.double({ min: 0, max: 1, noNaN: true }),
});

type Shape = typeof shape extends fc.Arbitrary<infer Value> ? Value : never;

/** Reads the events that are whole in the first `length` bytes of the body, up to the first that breaks the answer. */
function read(events: readonly string[], pieces: readonly Piece[], length: number) {
  let [end, text, isEnded] = [0, '', false];
  for (const [index, one] of events.entries()) {
    end += Buffer.byteLength(one);
    const made = pieces[index];
    if (end > length || (made !== undefined && 'raw' in made && made.isBreak)) break;
    if (made !== undefined && 'text' in made) text += made.text;
    isEnded ||= index >= pieces.length;
  }
  return { text, isEnded };
}

/** Cuts bytes into the writes of a reply. */
function writes(bytes: Buffer, { sizes, pause }: Shape): Reply {
  const steps: (Buffer | number)[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    // Many small writes take long and show nothing new.
    const size = turn < 40 ? (sizes[turn % sizes.length] ?? bytes.length) : bytes.length;
    steps.push(bytes.subarray(at, at + size), ...(pause > 0 && turn < 20 ? [pause] : []));
    at += size;
  }
  return steps;
}

function headersOf({ contentType, isCompressed, extra, framing }: Shape, length: number) {
  const [name = '', value = ''] = extra.split(': ');
  const isChunked = framing === 'chunked' || framing === 'no last chunk';
  return {
    ...(contentType !== '' && { 'content-type': contentType }),
    ...(isCompressed && { 'content-encoding': 'gzip' }),
    ...(name !== '' && { [name]: name === 'x-long' ? value.repeat(9000) : value }),
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
    ...(['length', 'cut', 'reset'].includes(framing) && { 'content-length': String(length) }),
    ...(framing === 'short' && { 'content-length': String(Math.max(0, length - 3)) }),
  };
}

const endings = { done: [done], reason: [finish('stop')], both: [finish('stop'), done], none: [] };

/** One answer of a service that may break rules, and what natter has to make of it. */
function toCase(made: Shape) {
  const { pieces, framing, status, lineEnd, isCompressed, cutAt } = made;
  const events = [
    ...pieces.map((one) => ('raw' in one ? one.raw : delta(one.text))),
    ...endings[made.end],
  ].map((one) => one.replaceAll('\n', lineEnd));
  const plain = Buffer.from(events.join(''));
  const body = isCompressed ? gzipSync(plain) : plain;
  const isCut = framing === 'cut' || framing === 'reset';
  const sent = isCut ? body.subarray(0, body.length * cutAt) : body;
  const isChunked = framing === 'chunked' || framing === 'no last chunk';
  const framed = isChunked
    ? [
        ...(sent.length === 0 ? [] : [chunk(sent)]),
        Buffer.from(framing === 'chunked' ? lastChunk : ''),
      ]
    : [sent];
  const bytes = Buffer.concat([head(status, headersOf(made, body.length)), ...framed]);
  const isIntact = ['chunked', 'length', 'close'].includes(framing);
  const shown = framing === 'short' ? plain.length - 3 : isCut ? sent.length : plain.length;
  // What can be read of compressed bytes that were cut depends on where they were cut.
  const isAnswer = status === 200 || status === 201;
  const { text, isEnded } = read(
    events,
    pieces,
    isAnswer && (isIntact || !isCompressed) ? shown : 0,
  );
  return {
    reply: [...writes(bytes, made), framing === 'reset' ? reset : fin] as Reply,
    /** What the reply is made from, for messages. */
    made,
    /** The text that must be shown: of the whole events before the first one that breaks the answer. */
    text,
    /** The text that may be shown: also of events that were cut. */
    maxText: isAnswer ? read(events, pieces, plain.length).text : '',
    /** The service sent all that an answer needs: natter has to succeed. `[DONE]` alone is no answer (N10). */
    isWhole: isAnswer && isIntact && isEnded && (text !== '' || made.end !== 'done'),
    /**
     * The service refused, failed or never said that the answer is complete: natter has to fail. Without its last three
     * bytes, the last event may count or not.
     */
    isFailed: !isAnswer || (!isEnded && framing !== 'short' && (isIntact || !isCompressed)),
  };
}

/** Services with any status, framing, headers, body, split into writes, and pauses between these. */
const hostileCase = fc.noBias(shape.map(toCase));

/** `npm run test:hostile` tries 5,000. */
const cases = Number(process.env['NATTER_HOSTILE_CASES'] ?? 200);

test(`${cases} hostile services: exit 0 means a whole answer, and the text shown is the text sent`, async () => {
  let answered = 0;
  const property = fc.asyncProperty(
    hostileCase,
    async ({ reply, made, text, maxText, ...rule }) => {
      const server = await startRawServer([reply]);
      try {
        const words = ['--no-save', '--retries', '0', '--raw', '--first-byte-timeout', '20s', 'hi'];
        const env = { NATTER_BASE_URL: server.url };
        const { code, stdout, stderr } = await runInMemory(words, { env });
        const broken = [
          !(stdout.startsWith(text) && maxText.startsWith(stdout)) && 'shows other text',
          code === 0 && rule.isFailed && 'calls a failed answer whole',
          code !== 0 && rule.isWhole && 'calls a whole answer failed',
          /^ +at /m.test(stderr) && 'prints a stack trace',
        ].filter((one) => one !== false);
        const seen = broken.length === 0 ? '' : JSON.stringify({ made, code, stdout, stderr });
        expect([broken, seen.slice(0, 3000)]).toEqual([[], '']);
        if (code === 0) answered += 1;
      } finally {
        await server.stop();
      }
    },
  );
  await fc.assert(property, {
    numRuns: cases,
    endOnFailure: true,
    reporter: (details) => {
      if (details.failed) throw details.errorInstance ?? new Error('failed');
    },
  });
  expect(answered).toBeGreaterThan(cases / 10);
}, 3_600_000);
