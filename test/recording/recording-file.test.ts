import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  bytesEvent,
  bytesOf,
  formatLine,
  parseLine,
  readRecording,
  type RecordedLine,
} from '../../src/recording/format.ts';
import { fc } from '../support/properties.ts';
import { appendFile, type AppendFile } from '../../src/storage/append-file.ts';
import {
  chatRequest,
  date,
  newPath,
  openRecorded as open,
  readRecordedLines,
  writeRecording,
} from './recording-fixtures.ts';

const anyText = fc.string({ unit: 'grapheme' });
const place = { exchange: fc.nat(), at: fc.nat() };

const anyLine: fc.Arbitrary<RecordedLine> = fc.oneof(
  fc.record({
    ...place,
    type: fc.constant('request' as const),
    date: anyText,
    method: fc.constantFrom('GET', 'POST'),
    path: anyText,
    body: fc.jsonValue({ noUnicodeString: false }),
  }),
  fc.record({
    ...place,
    type: fc.constant('response' as const),
    status: fc.integer({ min: 200, max: 599 }),
    headers: fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText))),
  }),
  fc.record({
    ...place,
    type: fc.constant('failure' as const),
    kind: fc.constantFrom('unreachable' as const, 'server_error' as const),
    message: anyText,
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
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(Buffer.from(bytesOf(bytesEvent(bytes)))).toEqual(Buffer.from(bytes));
    }),
  );
});

test('writes one line per event, and reads the same event', () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const written = formatLine(line);
      expect(written.indexOf('\n')).toBe(written.length - 1);
      expect(parseLine(written)).toEqual(JSON.parse(JSON.stringify(line)));
    }),
  );
});

test('does not read a cut line', () => {
  fc.assert(
    fc.property(anyLine, fc.nat(), (line, cut) => {
      const written = formatLine(line).trimEnd();
      expect(parseLine(written.slice(0, cut % written.length))).toBeUndefined();
    }),
  );
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
  ['a later version', '{"format":"natter-recording","version":2}\n', /this natter reads version 1/],
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

const request = { type: 'request', date, method: 'GET', path: '/v1/models' } as const;
const numbersIn = (path: string) => readRecordedLines(path).map(({ exchange }) => exchange);

test('K24 creates a recording that only its owner can read, with any umask', async () => {
  const path = newPath();
  const before = process.umask(0);
  try {
    await open(path);
  } finally {
    process.umask(before);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('continues a recording under the same header with new numbers', async () => {
  const path = newPath();
  const first = await open(path);
  expect(await first.begin(request)).toBe(1);
  expect(await first.begin(request)).toBe(2);
  expect(await (await open(path)).begin(request)).toBe(3);
  expect(numbersIn(path)).toEqual([1, 2, 3]);
  expect(readFileSync(path, 'utf8').match(/natter-recording/g)).toHaveLength(1);
});

test('D7 gives concurrent writers different numbers and whole lines', async () => {
  const path = newPath();
  const files = await Promise.all([open(path), open(path), open(path)]);
  const work = files.map(async (file) => {
    const numbers: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      const number = await file.begin(request);
      file.append(number, 3, { type: 'end' });
      numbers.push(number);
    }
    return numbers;
  });
  const given = (await Promise.all(work)).flat();
  expect(new Set(given).size).toBe(30);
  expect(readRecordedLines(path)).toHaveLength(60);
});

test.skipIf(process.platform !== 'linux')(
  'Y27: two recorders of one file read each byte a few times, not once per exchange',
  async () => {
    const path = newPath();
    const files = [await open(path), await open(path)];
    const bytesRead = () =>
      Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    const before = bytesRead();
    const long = { type: 'chunk', data: 'x'.repeat(20_000) } as never;
    for (let count = 0; count < 50; count += 1) {
      for (const file of files) file.append(await file.begin(request), 1, long);
    }
    const read = bytesRead() - before;
    expect(numbersIn(path)).toHaveLength(200);
    expect(Math.max(...(numbersIn(path) as number[]))).toBe(100);
    expect(read).toBeLessThan(5 * statSync(path).size);
  },
);

test('reads a replaced file from its start', async () => {
  const path = newPath();
  const file = await open(path);
  await file.begin(request);
  const other = writeRecording(chatRequest(40), chatRequest(41), chatRequest(42));
  renameSync(other, path);
  expect(await file.begin(request)).toBe(43);
});

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

test.each(['my own notes\n', '{"index":1}\n'])(
  'X10: does not change a file %j that replaced the recording',
  async (text) => {
    const path = newPath();
    const file = await open(path);
    const exchange = await file.begin(request);
    replace(path, text);
    const append = () => file.append(exchange, 1, { type: 'end' });
    expect(append).toThrow('was replaced by another file');
    await expect(file.begin(request)).rejects.toMatchObject({ kind: 'configuration' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('X10: writes a header into an empty file that replaced the recording', async () => {
  const path = newPath();
  const file = await open(path);
  await file.begin(request);
  replace(path, '');
  expect(await file.begin(request)).toBe(1);
  expect(numbersIn(path)).toEqual([1]);
});

test('D3 starts a new line after a torn one', async () => {
  const path = writeRecording(chatRequest(4));
  writeFileSync(path, '{"exchange":4,"at":5,"ty', { flag: 'a' });
  expect(await (await open(path)).begin(request)).toBe(5);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.slice(-2)).toEqual([
    '{"exchange":4,"at":5,"ty',
    JSON.stringify({ exchange: 5, at: 0, ...request }),
  ]);
});

test('makes a recording of an empty file, as from mktemp', async () => {
  const path = newPath();
  writeFileSync(path, '');
  await (await open(path)).begin(request);
  expect(numbersIn(path)).toEqual([1]);
});

test('refuses any other file, and does not change it', async () => {
  const path = newPath();
  writeFileSync(path, 'my notes\n');
  await expect(open(path)).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringContaining('is not a recording of natter') as string,
  });
  expect(readFileSync(path, 'utf8')).toBe('my notes\n');
});

test('refuses a folder and a missing folder', async () => {
  const folder = newPath();
  mkdirSync(folder);
  await expect(open(folder)).rejects.toThrow('it is not a regular file');
  await expect(open(`${folder}/none/tape.jsonl`)).rejects.toMatchObject({
    kind: 'storage',
    message: expect.stringMatching(/^cannot record into .*: there is no such file or/) as string,
  });
});

test('D9 throws if the disk is full in the middle of a line, which stays torn', async () => {
  const path = newPath();
  const full: AppendFile = {
    ...appendFile,
    append: (to, bytes) => appendFile.append(to, bytes.subarray(0, 20)),
  };
  await expect((await open(path, full)).begin(request)).rejects.toThrow('cut');
  expect(await (await open(path)).begin(request)).toBe(1);
});
