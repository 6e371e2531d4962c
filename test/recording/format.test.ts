import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  readRecording,
  bytesEvent,
  bytesOf,
  formatLine,
  parseLine,
  type RecordedLine,
} from '../../src/recording/format.ts';
import { chatRequest, newPath, writeRecording } from './recording-fixtures.ts';
import { expectForAll, fc } from '../support/properties.ts';

const text = fc.string({ unit: 'grapheme' });
const place = { exchange: fc.nat(), at: fc.nat() };

const lines: fc.Arbitrary<RecordedLine> = fc.oneof(
  fc.record({
    ...place,
    type: fc.constant('request' as const),
    date: text,
    method: fc.constantFrom('GET', 'POST'),
    path: text,
    body: fc.jsonValue({ noUnicodeString: false }),
  }),
  fc.record({
    ...place,
    type: fc.constant('response' as const),
    status: fc.integer({ min: 200, max: 599 }),
    headers: fc.dictionary(text, fc.oneof(text, fc.array(text))),
  }),
  fc.record({
    ...place,
    type: fc.constant('failure' as const),
    kind: fc.constantFrom('unreachable' as const, 'server_error' as const),
    message: text,
    transient: fc.boolean(),
  }),
  fc
    .tuple(fc.uint8Array(), fc.record(place))
    .map(([bytes, where]) => ({ ...where, ...bytesEvent(bytes) })),
  fc.record({ ...place, type: fc.constantFrom('end' as const, 'stopped' as const) }),
);

test('writes valid UTF-8 as text, other bytes in base64, and reads them', () => {
  expect(bytesEvent(Buffer.from('für'))).toEqual({ type: 'bytes', text: 'für' });
  expect(bytesEvent(Buffer.from('ü').subarray(0, 1))).toEqual({ type: 'bytes', base64: 'ww==' });
  expectForAll(fc.uint8Array(), (bytes) => {
    expect(Buffer.from(bytesOf(bytesEvent(bytes)))).toEqual(Buffer.from(bytes));
  });
});

test('writes one line per event, and reads the same event', () => {
  expectForAll(lines, (line) => {
    const written = formatLine(line);
    expect(written.indexOf('\n')).toBe(written.length - 1);
    expect(parseLine(written)).toEqual(JSON.parse(JSON.stringify(line)));
  });
});

test('does not read a cut line', () => {
  expectForAll(lines, fc.nat(), (line, cut) => {
    const written = formatLine(line).trimEnd();
    expect(parseLine(written.slice(0, cut % written.length))).toBeUndefined();
  });
});

test.each([
  ['text that is not JSON', 'hello'],
  ['an array', '[1]'],
  ['an unknown type', '{"exchange":1,"at":0,"type":"byte","text":"x"}'],
  ['an inherited name as type', '{"exchange":1,"at":0,"type":"toString"}'],
  ['no exchange number', '{"at":0,"type":"end"}'],
  ['a time before the request', '{"exchange":1,"at":-1,"type":"end"}'],
  ['an invalid status', '{"exchange":1,"type":"response","status":99}'],
  ['a header that is a number', '{"exchange":1,"type":"response","status":200,"headers":{"a":1}}'],
  ['text and base64', '{"exchange":1,"type":"bytes","text":"a","base64":"YQ=="}'],
  ['bytes without text or base64', '{"exchange":1,"type":"bytes"}'],
  ['an unknown kind of failure', '{"exchange":1,"type":"failure","kind":"bad","message":"no"}'],
])('does not read a line with %s', (_, line) => {
  expect(parseLine(line)).toBeUndefined();
});

test('reads a line without time, headers or `transient`, as written by hand', () => {
  const read = (event: object) => parseLine(JSON.stringify({ exchange: 1, ...event }));
  expect(read({ type: 'response', status: 429 })).toMatchObject({ at: 0, headers: {} });
  const failure = { type: 'failure', kind: 'unreachable', message: 'gone' };
  expect(read(failure)).toMatchObject({ at: 0, transient: false });
});

const end = (exchange: number) => ({ exchange, at: 5, type: 'end' });

/** The number of each exchange in a recording, and the number of its events. */
const countsIn = (path: string) =>
  readRecording(path).exchanges.map(({ number, events }) => [number, events.length]);

test('separates interleaved exchanges', () => {
  const path = writeRecording(chatRequest(1), chatRequest(2), end(2), end(1), end(1));
  expect(countsIn(path)).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('reports foreign lines, but not empty ones', () => {
  const { exchanges, unreadable } = readRecording(
    writeRecording('', 'hello', chatRequest(1), '{"type":"note"}', end(1)),
  );
  expect(exchanges).toHaveLength(1);
  expect(unreadable).toEqual([3, 5]);
});

test('reads concatenated recordings as one', () => {
  const path = writeRecording(chatRequest(1), end(1));
  writeFileSync(path, readFileSync(path), { flag: 'a' });
  expect(countsIn(path)).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(readRecording(path).unreadable).toEqual([]);
});

test('reads lines that end in CRLF, and a byte order mark before the header', () => {
  const path = writeRecording(chatRequest(1), end(1));
  writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}`);
  expect(readRecording(path)).toMatchObject({ exchanges: [{ number: 1 }], unreadable: [] });
});

test.each([
  ['an empty file', '', /is not a recording of natter/],
  ['a different JSON file', '{"version":1}\n', /is not a recording of natter/],
  [
    'a later version',
    '{"format":"natter-recording","version":2}\n',
    /has version 2 of the recording format; this natter reads version 1/,
  ],
])('refuses %s', (_, content, message) => {
  const path = newPath();
  writeFileSync(path, content);
  const kind = 'configuration';
  expect(() => readRecording(path)).toThrow(expect.objectContaining({ kind }));
  expect(() => readRecording(path)).toThrow(message);
});

test('names a missing file, and a folder', () => {
  const problem = 'cannot read /no/such/tape.jsonl: there is no such file or folder';
  expect(() => readRecording('/no/such/tape.jsonl')).toThrow(problem);
  const folder = newPath();
  mkdirSync(folder);
  expect(() => readRecording(folder)).toThrow('it is a folder');
});
