import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt, startNatter } from '../support/natter.ts';
import {
  choice,
  chunk,
  delta,
  done,
  event,
  finish,
  head,
  json,
  response,
  stream,
  streamHead,
} from '../support/raw-replies.ts';
import { fin, type Reply, reset } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const completion = {
  choices: [{ index: 0, message: { content: 'whole' }, finish_reason: 'stop' }],
};

interface Row {
  readonly name: string;
  readonly reply: Reply;
  readonly stdout: string;
  readonly code?: number;
  /** By default empty. */
  readonly stderr?: RegExp;
}

const answers: readonly Row[] = [
  {
    name: 'S9 ids, retry times, event names and unknown fields are ignored',
    reply: stream(`id: 7\nretry: 1\nevent: message\ncolour: red\n${delta('text')}`, done),
    stdout: 'text\n',
  },
  {
    name: 'S15 [DONE] ends the answer although the connection stays open',
    reply: [streamHead(), chunk(delta('text')), chunk(done)],
    stdout: 'text\n',
  },
  {
    name: 'S17 a finish_reason ends the answer without [DONE]',
    reply: stream(delta('text'), finish('stop')),
    stdout: 'text\n',
  },
  {
    name: 'S19 a last event without a line end counts',
    reply: stream(
      delta('te'),
      choice({ delta: { content: 'xt' }, finish_reason: 'stop' }).trimEnd(),
    ),
    stdout: 'text\n',
  },
  {
    name: 'S29 reasoning is not printed by default',
    reply: stream(
      choice({ delta: { reasoning_content: 'hmm' } }),
      choice({ delta: { reasoning: 'well' } }),
      delta('text'),
      done,
    ),
    stdout: 'text\n',
  },
  {
    name: 'S32 an answer at its token limit is complete, with a notice',
    reply: stream(delta('text'), finish('length'), done),
    stdout: 'text\n',
    stderr: /token limit/,
  },
  {
    name: 'S35 a surrogate pair split over deltas is one character',
    reply: stream(delta('a\uD83D'), delta('\uDE00b'), done),
    stdout: 'a😀b\n',
  },
  { name: 'S44 one JSON body is printed', reply: [json(200, completion)], stdout: 'whole\n' },
  {
    name: 'S47 an event stream sent as text/plain is read, always as UTF-8',
    reply: [
      streamHead({ 'content-type': 'text/plain; charset=windows-1252' }),
      chunk(delta('é')),
      chunk(done),
    ],
    stdout: 'é\n',
  },
];

const failures: readonly Row[] = [
  {
    name: 'S11 an error in the middle keeps the text and fails',
    reply: stream(delta('text'), event({ error: { code: 'server_error', message: 'no more' } })),
    stdout: 'text\n',
    code: 11,
    stderr: /incomplete: .*no more/,
  },
  {
    name: 'S13 an error as the first event of a 200 is an error of the service',
    reply: stream(event({ error: { code: 'invalid_request', message: 'not like this' } })),
    stdout: '',
    code: 7,
    stderr: /reported an error: not like this/,
  },
  {
    name: 'S18 a body without a finish_reason or [DONE] is incomplete',
    reply: stream(delta('text')),
    stdout: 'text\n',
    code: 11,
    stderr: /incomplete: the stream ended without a finish_reason or \[DONE\]/,
  },
  {
    name: 'S21 an event that is not JSON is an error, which does not show it',
    reply: stream(delta('text'), 'data: {"secret payload\n\n', done),
    stdout: 'text\n',
    code: 11,
    stderr: /^(?!.*secret payload).*not a JSON object/,
  },
  {
    name: 'S45 a JSON error with status 200 is an error',
    reply: [json(200, { error: { code: 'forbidden', message: 'not yours' } })],
    stdout: '',
    code: 5,
    stderr: /not yours/,
  },
  {
    name: 'S46 an HTML page is an error, which does not show it',
    reply: [response(200, { 'content-type': 'text/html' }, '<title>Hi</title><p>the page</p>')],
    stdout: '',
    code: 9,
    stderr: /^(?!.*the page)/,
  },
  {
    name: 'S49 no content is an error',
    reply: [response(204)],
    stdout: '',
    code: 9,
    stderr: /no content \(204\)/,
  },
  {
    name: 'S49 an empty answer is an error',
    reply: [response(200, { 'content-type': 'text/event-stream' })],
    stdout: '',
    code: 9,
    stderr: /./,
  },
  {
    name: 'S50 a closed connection leaves the answer incomplete',
    reply: [streamHead(), chunk(delta('text')), fin],
    stdout: 'text\n',
    code: 11,
    stderr: /closed the connection before the answer ended/,
  },
  {
    name: 'S50 a body shorter than its content-length is incomplete',
    reply: [
      head(200, { 'content-type': 'text/event-stream', 'content-length': '9999' }),
      delta('text'),
      fin,
    ],
    stdout: 'text\n',
    code: 11,
    stderr: /closed the connection before the answer ended/,
  },
];

test.each([...answers, ...failures])('$name', async ({ reply, stdout, code = 0, stderr }) => {
  const server = await serve([reply]);
  const result = await runInMemory(['--retries', '0', 'hi'], { env: serviceAt(server) });
  expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout });
  expect(result.stderr).toMatch(stderr ?? /^$/);
});

test('S50 a reset connection leaves the answer incomplete, with the text received', async () => {
  const replies = [streamHead(), chunk(delta('text'))];
  let allow = (): void => {};
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  const server = await serve([[...replies, () => allowed, reset]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  await natter.waitFor('stdout', /text/);
  allow();
  expect(await natter.result).toMatchObject({ code: 11, stdout: 'text\n' });
});

test('S52 each delta is printed before the next is sent', async () => {
  const words = ['one ', 'two ', 'three'];
  let printed: (() => string) | undefined;
  const shown: string[] = [];
  const seen = (word: string) => async () => {
    while (printed?.().endsWith(word) !== true) await new Promise((next) => setTimeout(next, 5));
    shown.push(printed());
  };
  const steps = words.flatMap((word) => [chunk(delta(word)), seen(word)]);
  const server = await serve([[streamHead(), ...steps, chunk(done)]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  printed = () => natter.stdout();
  expect(await natter.result).toMatchObject({ code: 0, stdout: 'one two three\n' });
  expect(shown).toEqual(['one ', 'one two ', 'one two three']);
});

test.each(['gzip', 'br', 'deflate'])('S48 a body in %s is decoded', async (encoding) => {
  const words = ['--sandbox', `[sandbox encoding=${encoding} echo]héllo`];
  expect(await runInMemory(words)).toMatchObject({ code: 0, stdout: 'héllo\n', stderr: '' });
});

test('S29 --reasoning shows reasoning on standard error', async () => {
  const thought = choice({ delta: { reasoning: 'first I think' } });
  const server = await serve([stream(thought, delta('text'), done)]);
  const result = await runInMemory(['--reasoning', 'hi'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 0, stdout: 'text\n', stderr: 'first I think\n' });
});

test('S41 the idle timeout ends a stalled answer and keeps its text', async () => {
  // In one write, because the limit starts with the head.
  const server = await serve([[Buffer.concat([streamHead(), chunk(delta('text'))])]]);
  const words = ['--idle-timeout', '300ms', 'hi'];
  const { code, stdout, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 11, stdout: 'text\n' });
  expect(stderr).toMatch(/incomplete: the service sent no content for /);
});

test('S42 comments do not reset the idle timeout', async () => {
  const comments = Array.from({ length: 400 }, () => [chunk(': still here\n\n'), 50]).flat();
  const server = await serve([[streamHead(), ...comments]]);
  const words = ['--idle-timeout', '500ms', 'hi'];
  const { code, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(10);
  expect(stderr).toMatch(/sent no content/);
});
