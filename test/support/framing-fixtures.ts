import {
  chunk,
  delta,
  done,
  event,
  greeted,
  greeting,
  joined,
  stop,
  type FixtureParts,
} from './stream-events.ts';

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** `text` with its line ends replaced, by each of `lineEnds` in turn. */
function lines(text: string, lineEnds: readonly string[]): string {
  let count = 0;
  return text.replace(/\n/g, () => lineEnds[count++ % lineEnds.length] ?? '\n');
}

/** Event stream rules (WHATWG HTML, 9.2) and the ways a stream ends. */
export const framingFixtures: readonly FixtureParts[] = [
  { name: 'the contract, LF', body: greeting, ...greeted },
  { name: 'S2 CRLF', body: lines(greeting, ['\r\n']), ...greeted },
  { name: 'S2 CR', body: lines(greeting, ['\r']), ...greeted },
  { name: 'S2 mixed line ends', body: lines(greeting, ['\r\n', '\n', '\r', '\r\n']), ...greeted },
  { name: 'S5 a byte order mark', body: joined(byteOrderMark, greeting), ...greeted },
  {
    name: 'S5 of two byte order marks, the second spoils only the first line',
    body: joined(byteOrderMark, byteOrderMark, `${delta('lost')}${greeting}`),
    ...greeted,
  },
  {
    name: 'S6 comments and keep-alives',
    body: `:\n\n: ping\n\n::\n${delta('Hel')}: keep-alive\n${delta('lo')}\n\n:\n${stop}: x\n\n${done}`,
    ...greeted,
  },
  {
    name: 'S7 no space and two spaces after the colon',
    body: greeting.replace('data: ', 'data:').replace('data: [', 'data:  ['),
    ...greeted,
  },
  {
    name: 'S8 JSON over several data lines',
    body: `${JSON.stringify(chunk({ content: 'Hello' }, 'stop'), null, 1).replace(/^/gm, 'data: ')}\n\n${done}`,
    ...greeted,
  },
  {
    name: 'S9 id, retry, event and unknown fields',
    body: `retry: 5000\nretry: soon\nid: 7\nevent: message\nfoo: bar\ndata\n\n${delta('Hel')}event: x\nid\n${delta('lo')}nothing\n${stop}${done}`,
    ...greeted,
  },
  {
    name: 'S14 [DONE] inside content',
    body: `${delta('[DONE]')}${delta('\ndata: [DONE]\n\n')}${stop}${done}`,
    text: '[DONE]\ndata: [DONE]\n\n',
    finishReason: 'stop',
    complete: true,
  },
  {
    name: 'S16 text, errors and malformed data after [DONE]',
    body: `${greeting}${delta('!')}${event({ error: 'late' })}data: {{{\n\n`,
    ...greeted,
  },
  {
    name: 'S17 a finish_reason without [DONE]',
    body: `${delta('Hello')}${stop}`,
    ...greeted,
  },
  {
    name: 'S18 neither finish_reason nor [DONE]',
    body: delta('Hel'),
    text: 'Hel',
    complete: false,
  },
  {
    name: 'S18 cut inside an event',
    body: `${delta('Hel')}${delta('lo').slice(0, 60)}`,
    text: 'Hel',
    complete: false,
  },
  { name: 'S18 only comments', body: ': ping\n\n: ping\n\n', text: '', complete: false },
  {
    name: 'S19 a last event with one line end',
    body: `${delta('Hello')}data: [DONE]\n`,
    text: 'Hello',
    complete: true,
  },
  {
    name: 'S19 a last event without a line end',
    body: `${delta('Hello')}data: [DONE]`,
    text: 'Hello',
    complete: true,
  },
  {
    name: 'S20 a CR-only last event',
    body: lines(`${delta('Hello')}data: [DONE]\n`, ['\r']),
    text: 'Hello',
    complete: true,
  },
  {
    name: 'S22 S53 empty data and comments wrapped as data',
    body: `data:\n\ndata: \n\ndata: : OPENROUTER PROCESSING\n\ndata: null\n\n${greeting}`,
    ...greeted,
  },
  {
    name: '[DONE] between spaces',
    body: `${delta('Hi')}data:   [DONE] \n\n`,
    text: 'Hi',
    complete: true,
  },
  { name: 'S1 leading blank lines', body: `\n\n\r\n${greeting}`, ...greeted },
];
