import { describe, expect, test } from 'vitest';
import {
  ask,
  chunks,
  complete,
  createSkippingClock,
  deltas,
  jsonOf,
  openSandbox,
  payloads,
  rule,
  stream,
} from './sandbox-helpers.ts';

async function answerWith(fields: string) {
  return stream(await openSandbox(), `[sandbox echo ${fields}] one two three four`);
}

const whole = 'one two three four';

describe('events', () => {
  test('no-done omits [DONE]', async () => {
    expect(payloads(await answerWith('no-done'))).not.toContain('[DONE]');
  });

  test('no-finish-reason omits the finish_reason', async () => {
    const answer = await answerWith('no-finish-reason');
    expect(answer.text).not.toContain('finish_reason');
    expect(answer.text).toContain('usage');
  });

  test('finish-reason sends the given finish_reason', async () => {
    expect(chunks(await answerWith('finish-reason=content_filter')).at(-1)?.choices).toMatchObject([
      { finish_reason: 'content_filter' },
    ]);
  });

  test.each([
    ['none', [false, false, false, false, false]],
    ['finish', [false, false, false, false, true]],
    ['last', [false, false, false, false, false, true]],
    ['every', [true, true, true, true, true]],
  ])('usage=%s sends usage in these chunks: %j', async (place, where) => {
    const answer = await answerWith(`usage=${place}`);
    expect(chunks(answer).map(({ usage }) => usage !== undefined)).toEqual(where);
    expect(
      chunks(answer)
        .map(({ choices }) => choices.length)
        .slice(5),
    ).toEqual(place === 'last' ? [0] : []);
    expect(deltas(answer).join('')).toBe(whole);
  });

  test.each([
    ['truncated', (data: string) => expect(data).toMatch(/^\{"id":"chat/)],
    ['text', (data: string) => expect(data).toBe('this is not JSON')],
    ['html', (data: string) => expect(data).toContain('<html>')],
    ['two', (data: string) => expect(data).toMatch(/^(\{.*\}) \1$/)],
    ['scalar', (data: string) => expect(data).toBe('42')],
    ['null', (data: string) => expect(data).toBe('null')],
    ['empty', (data: string) => expect(data).toBe('')],
    ['comment', (data: string) => expect(data).toBe(': keep-alive')],
    ['utf8', (data: string) => expect(data).toContain('a\ufffdb')],
  ])('malformed-as=%s corrupts only the given event', async (kind, check) => {
    const events = payloads(await answerWith(`malformed-at=2 malformed-as=${kind}`));
    check(events[1] ?? 'none');
    expect(events).toHaveLength(6);
    expect(JSON.parse(events[2] ?? '')).toMatchObject({
      choices: [{ delta: { content: ' three' } }],
    });
  });

  test.each([
    ['error-at=2', /"content":"one"[^]*\n\ndata: \{"error":\{"name":"server_error"/],
    ['error-at=1 error-as=event', /^event: error\ndata: \{"error"/],
    ['error-at=2 shape=string message=no', /data: \{"error":"no"\}\n\n$/],
  ])('%s sends an error and ends', async (fields, text) => {
    const answer = await answerWith(fields);
    expect(answer.isComplete).toBe(true);
    expect(answer.text).toMatch(text);
    expect(answer.text).not.toContain('[DONE]');
  });

  test('after-done sends a chunk after [DONE]', async () => {
    expect(payloads(await answerWith('after-done')).at(-2)).toBe('[DONE]');
  });

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
    ['role=none usage=every', [undefined, undefined]],
  ])('Y21: only the first delta has the role: %s', async (fields, roles) => {
    const [first, second] = chunks(await answerWith(fields));
    expect([first, second].map((chunk) => chunk?.choices[0]?.delta?.role)).toEqual(roles);
  });

  test('Y21: an answer without text has the role in its last chunk', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo]');
    expect(chunks(answer)[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });

  test.each([
    ['first', ['assistant', undefined]],
    ['every', ['assistant', 'assistant']],
    ['null', [null, null]],
    ['empty', ['', '']],
  ])('role=%s sends the role in the deltas', async (role, roles) => {
    const [first, second] = chunks(await answerWith(`role=${role}`));
    expect([first, second].map((chunk) => chunk?.choices[0]?.delta?.role)).toEqual(roles);
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

  test('refusal replaces the text', async () => {
    const answer = await answerWith('refusal');
    expect(deltas(answer)).toEqual([]);
    expect(answer.text).toContain('"refusal":" two"');
  });

  test('no-stream sends JSON for a stream', async () => {
    const answer = await answerWith('no-stream');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(jsonOf(answer)).toMatchObject({ choices: [{ message: { content: whole } }] });
  });
});

describe('time', () => {
  test('delay waits before the headers', async () => {
    const clock = createSkippingClock();
    const sandbox = await openSandbox({ clock, faults: [rule('delay=2s')] });
    await ask(sandbox);
    expect(clock.waits).toEqual([2000]);
  });

  test('rate spreads the events over time', async () => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock }), '[sandbox tokens=11 rate=5]');
    expect(clock.waits.reduce((sum, wait) => sum + wait)).toBeCloseTo(18 + 12 * 200);
  });

  test('drip pauses between events', async () => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock }), '[sandbox tokens=2 drip=7ms]');
    expect(clock.waits).toEqual([18, 7, 7, 7]);
  });

  test('stall-for pauses, then continues', async () => {
    const clock = createSkippingClock();
    const answer = await stream(
      await openSandbox({ clock }),
      '[sandbox echo stall-after=2 stall-for=5s] a b c',
    );
    expect(clock.waits).toEqual([18, 5000]);
    expect(deltas(answer)).toEqual(['a', ' b', ' c']);
  });

  test('keep-alive sends comments during a stall', async () => {
    const answer = await answerWith('stall-after=1 stall-for=3500 keep-alive=1000');
    expect(answer.text.match(/^: keep-alive\n\n/gm)).toHaveLength(3);
    expect(deltas(answer).join('')).toBe(whole);
  });

  test('the latency is an option', async () => {
    const clock = createSkippingClock();
    await complete(await openSandbox({ clock, latency: { origin: 500 } }), 'hello');
    expect(clock.waits).toEqual([500]);
  });
});
