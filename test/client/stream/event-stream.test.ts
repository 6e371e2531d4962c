import { expect, test } from 'vitest';
import { createEventStream } from '../../../src/client/stream/event-stream.ts';
import { LineDecoder } from '../../../src/client/stream/line-decoder.ts';

interface SeenEvent {
  readonly type: string | undefined;
  readonly data: string;
}

function eventsOf(bytes: Uint8Array, size: number): SeenEvent[] {
  const seen: SeenEvent[] = [];
  const decoder = new LineDecoder();
  const stream = createEventStream(({ type, data }) => seen.push({ type, data }));
  for (let start = 0; start < bytes.length; start += size) {
    stream.feed(decoder.decode(bytes.subarray(start, start + size)));
  }
  stream.feed(decoder.end());
  stream.end();
  return seen;
}

const message = (data: string): SeenEvent => ({ type: undefined, data });

// Inputs like those of the web platform tests eventsource/format-*, expectations from the standard.
test.each<readonly [rule: string, input: string, expected: readonly SeenEvent[]]>([
  [
    'one byte order mark is dropped',
    '\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
    [message('1'), message('3')],
  ],
  [
    'a second byte order mark is text',
    '\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3\n\n',
    [message('2'), message('3')],
  ],
  [
    'comments are dropped',
    'data:1\n:\0\n:\r\ndata:2\n:x\rdata:3\n:data:no\r\ndata:4\n\n',
    [message('1\n2\n3\n4')],
  ],
  [
    'data without a value is an empty line',
    'data:\n\ndata\ndata\n\ndata:test\n\n',
    [message(''), message('\n'), message('test')],
  ],
  [
    'an event has its name',
    'event:test\ndata:x\n\ndata:x\n\n',
    [{ type: 'test', data: 'x' }, message('x')],
  ],
  ['an empty name is ignored', 'event: \ndata:data\n\n', [message('data')]],
  [
    'field names are exact',
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    [message('\0\n 2\n1\n3\n\n4')],
  ],
  [
    'one leading space is dropped',
    'data:\ttest\rdata: \ndata:test\n\n',
    [message('\ttest\n\ntest')],
  ],
  ['CR, LF and CRLF end lines', 'data:test\r\ndata\ndata:test\r\n\r', [message('test\n\ntest')]],
  ['NUL is text', 'data:\0\n\n\n\n', [message('\0')]],
  [
    'unknown fields are dropped',
    'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n',
    [message('test\n\ntest')],
  ],
  [
    'ids and retry times are dropped',
    'id: 1\nretry: 1000\nretry: 1x\nretry\nid\ndata:test\n\n',
    [message('test')],
  ],
  ['an event without data is dropped', 'event: x\n\nid: 1\n\n\n', []],
  ['text is UTF-8', 'data:ok…\n\n', [message('ok…')]],
  [
    'events of one line and of several lines follow one another',
    'data: a\n\ndata: \n\ndata:  b\n\nevent: x\ndata: c\n\ndata: d\ndata: e\n\n: no\n\ndata: f\n\n',
    [
      message('a'),
      message(''),
      message(' b'),
      { type: 'x', data: 'c' },
      message('d\ne'),
      message('f'),
    ],
  ],
])('S1 %s', (_, input, expected) => {
  const bytes = Buffer.from(input);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    expect(eventsOf(bytes, size)).toStrictEqual(expected);
  }
});

test.each(['data: a\n', 'data: a', 'data: a\r', 'data: a\r\n'])(
  'S19 S20 delivers a last event that ends in %j as unterminated',
  (input) => {
    const seen: unknown[] = [];
    const decoder = new LineDecoder();
    const stream = createEventStream((event) => seen.push(event));
    stream.feed(decoder.decode(Buffer.from(input)));
    expect(seen).toStrictEqual([]);
    stream.end();
    expect(seen).toStrictEqual([{ type: undefined, data: 'a', unterminated: true }]);
  },
);

test('each event of one line starts the limit of what has no event again', () => {
  const seen: unknown[] = [];
  const stream = createEventStream((event) => seen.push(event), 100);
  for (let count = 0; count < 20; count += 1) {
    stream.feed(': keep-alive\n\n');
    stream.feed('data: a\n\n');
  }
  expect(seen).toHaveLength(20);
});
