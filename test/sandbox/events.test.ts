import { describe, expect, test } from 'vitest';
import {
  ask,
  chunks,
  createSkippingClock,
  deltas,
  jsonOf,
  openSandbox,
  rule,
  stream,
} from './sandbox-helpers.ts';

const answerWith = async (fields: string) =>
  stream(await openSandbox(), `[sandbox echo ${fields}] one two three four`);

const whole = 'one two three four';

/** The bytes around the second event, which has this data. */
const second = (data: string) => new RegExp(`"one"[^\n]*\n\ndata: ${data}\n\n[^]*" three"`);
const lastChunk = String.raw`"delta":\{"content":""\}`;

describe('the bytes of a stream', () => {
  test.each([
    ['no-done', /"usage":\{[^}]*\}\}\n\n$/],
    ['no-finish-reason', new RegExp(`${lastChunk}\\}\\],"usage"`)],
    ['finish-reason=stopped', new RegExp(`${lastChunk},"finish_reason":"stopped"`)],
    ['after-done', /data: \[DONE\]\n\ndata: \{.*"content":" text after the end"\}\}\]\}\n\n$/],
    ['refusal', /^(?:data: .*"refusal":" ?\w+"\}\}\]\}\n\n){4}data: .*"content":""/],
    ['error-at=2', /"one"[^\n]*\n\ndata: \{"error":\{"name":"server_error".*\n\n$/],
    ['error-at=1 error-as=event', /^event: error\ndata: \{"error".*\}\n\n$/],
    ['error-at=2 shape=string message=no', /"one"[^\n]*\n\ndata: \{"error":"no"\}\n\n$/],
    ['malformed-at=2', second(String.raw`\{"id":"chatcmpl-sandbox[^}]*`)],
    ['malformed-at=2 malformed-as=text', second('this is not JSON')],
    ['malformed-at=2 malformed-as=html', second('<html>.*')],
    ['malformed-at=2 malformed-as=two', second(String.raw`(\{.*\}) \1`)],
    ['malformed-at=2 malformed-as=scalar', second('42')],
    ['malformed-at=2 malformed-as=null', second('null')],
    ['malformed-at=2 malformed-as=empty', second('')],
    ['malformed-at=2 malformed-as=comment', second(': keep-alive')],
    ['malformed-at=2 malformed-as=utf8', second('.*a\ufffdb.*')],
    ['usage=none', /^(?:(?!usage)[^])*$/],
    ['usage=finish', /^(?:(?!data: .*usage).*\n){8}data: .*"stop"\}\],"usage"/],
    ['usage=last', /"finish_reason":"stop"\}\]\}\n\ndata: .*"choices":\[\],"usage"/],
    ['usage=every', /^(?:data: .*"usage":.*\n\n){5}data: \[DONE\]/],
    ['cached=3', /"prompt_tokens_details":\{"cached_tokens":3\}/],
    ['data-spaces=0', /^data:\{/],
    ['data-spaces=2', /^data: {2}\{/],
    ['bom', /^\ufeffdata: /],
    ['bom=2', /^\ufeff\ufeffdata: /],
    ['comments=2', /^: comment\n: comment\ndata: /],
    ['extra-fields', /^id: 1\nretry: 10\nevent\nx-unknown: 1\nno colon\ndata: /],
    ['data-lines', /^data: \{\ndata: {2}"id": "chatcmpl-sandbox1",\n/],
    ['unterminated rate=5', /^(?:data: .*\n\n){5}data: \[DONE\]$/],
    ['line-ending=lf', /^(?:data: [^\r\n]*\n\n){6}$/],
    ['line-ending=crlf', /^(?:data: [^\r\n]*\r\n\r\n){6}$/],
    ['line-ending=cr', /^(?:data: [^\r\n]*\r\r){6}$/],
    ['line-ending=mixed', /^(?:data: .*\r\n\r\ndata: [^\r]*\r\rdata: .*\n\n){2}$/],
  ])('%s', async (fields, text) => {
    const answer = await answerWith(fields);
    expect(answer.isComplete).toBe(true);
    expect(answer.text).toMatch(text);
  });
});

describe('deltas', () => {
  test('split=utf16 splits surrogate pairs and escape sequences', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo split=utf16] 😀\u001b[31m');
    expect(deltas(answer)).toEqual(['\ud83d', '\ude00', '\u001b', '[', '3', '1', 'm']);
  });

  test('split=5 sends deltas of five units', async () => {
    expect(deltas(await answerWith('split=5'))).toEqual(['one t', 'wo th', 'ree f', 'our']);
  });

  test.each([
    ['odd-chunks=false', ['assistant', undefined]],
    ['reasoning', ['assistant', undefined]],
    ['refusal', ['assistant', undefined]],
    ['usage=every', ['assistant', undefined]],
    ['role=none', [undefined, undefined]],
    ['role=first', ['assistant', undefined]],
    ['role=every', ['assistant', 'assistant']],
    ['role=null', [null, null]],
    ['role=empty', ['', '']],
  ])('Y21: with %s, the first two deltas have the roles %j', async (fields, roles) => {
    const [first, next] = chunks(await answerWith(fields));
    expect([first, next].map((chunk) => chunk?.choices[0]?.delta?.role)).toEqual(roles);
  });

  test('Y21: an answer without text has the role in its last chunk', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo]');
    expect(chunks(answer)[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });

  test.each(['empty-choices', 'odd-chunks', 'reasoning', 'role', 'hostile=false'])(
    '%s does not change the text',
    async (field) => {
      const texts = chunks(await answerWith(field))
        .flatMap(({ choices }) => choices)
        .filter(({ index, delta }) => index === 0 && typeof delta?.content === 'string');
      expect(texts.map(({ delta }) => delta?.content).join('')).toBe(whole);
    },
  );

  test('no-stream sends JSON for a stream', async () => {
    const answer = await answerWith('no-stream');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(jsonOf(answer)).toMatchObject({ choices: [{ message: { content: whole } }] });
  });
});

describe('time', () => {
  test.each([
    ['tokens=2 drip=7ms', [18, 7, 7, 7]],
    ['echo stall-after=2 stall-for=5s', [18, 5000]],
  ])('%s waits for %j milliseconds, and sends the whole answer', async (fields, waits) => {
    const clock = createSkippingClock();
    const answer = await stream(await openSandbox({ clock }), `[sandbox ${fields}] a b c`);
    expect(clock.waits).toEqual(waits);
    expect(answer.text).toMatch(/\[DONE\]\n\n$/);
  });

  test('delay waits before the headers of any answer', async () => {
    const clock = createSkippingClock();
    await ask(await openSandbox({ clock, faults: [rule('delay=2s')] }));
    expect(clock.waits).toEqual([2000]);
  });

  test('rate spreads the events over time', async () => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock }), '[sandbox tokens=11 rate=5]');
    expect(clock.waits.reduce((sum, wait) => sum + wait)).toBeCloseTo(18 + 12 * 200);
  });

  test('keep-alive sends comments during a stall', async () => {
    const answer = await answerWith('stall-after=1 stall-for=3500 keep-alive=1000');
    expect(answer.text.match(/^: keep-alive\n\n/gm)).toHaveLength(3);
    expect(deltas(answer).join('')).toBe(whole);
  });

  test.each([
    [{}, 'origin', 18],
    [{}, 'nextgen', 20],
    [{ origin: 500 }, 'origin', 500],
  ])('with the latencies %j, %s needs %i ms to its first event', async (latency, model, wait) => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock, latency }), 'hello', { model });
    expect(clock.waits).toEqual([wait]);
  });
});
