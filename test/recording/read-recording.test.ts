import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecording } from '../../src/recording/read-recording.ts';
import { chatRequest, newPath, writeRecording } from './recording-fixtures.ts';

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

test('skips only the torn last line', () => {
  const path = writeRecording(chatRequest(1), end(1));
  const whole = readFileSync(path);
  const last = whole.lastIndexOf('\n', whole.length - 2) + 1;
  for (let length = last + 1; length < whole.length - 1; length += 1) {
    writeFileSync(path, whole.subarray(0, length));
    const { exchanges, unreadable } = readRecording(path);
    expect(exchanges).toMatchObject([{ number: 1, events: [] }]);
    expect(unreadable).toEqual([3]);
  }
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

test('reads lines that end in CRLF', () => {
  const path = writeRecording(chatRequest(1), end(1));
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
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
])('refuses %s', (_, text, message) => {
  const path = newPath();
  writeFileSync(path, text);
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
