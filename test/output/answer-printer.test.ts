import { expect, test } from 'vitest';
import type { ChatEvent } from '../../src/client/events.ts';
import {
  type AnswerFormat,
  type AnswerPrinter,
  createAnswerPrinter,
  jsonLinesPrinter,
} from '../../src/output/answer-printer.ts';
import { Failure } from '../../src/failure.ts';
import { createAnswerMeter } from '../../src/output/answer-meter.ts';
import { present } from '../../src/run.ts';
import type { ResolvedSettings } from '../../src/settings/resolved-settings.ts';
import { Interruption } from '../../src/terminal/device/signals.ts';
import { text } from '../support/events.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { jsonLines } from '../support/natter.ts';
import { createMemoryContext, createMemoryOutput } from '../support/memory-context.ts';

const started: ChatEvent = { type: 'answer-started', attempt: 1 };
const finished: ChatEvent = {
  type: 'answer-finished',
  id: 'chatcmpl-1',
  model: 'origin',
  finishReason: 'stop',
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  attempts: 1,
  timing: { firstText: 18.4, total: 30.6 },
};

type Output = ReturnType<typeof createMemoryOutput>;

async function print(
  make: (stdout: Output) => AnswerPrinter | Promise<AnswerPrinter>,
  events: readonly ChatEvent[],
): Promise<string> {
  const stdout = createMemoryOutput();
  const printer = await make(stdout);
  const meter = createAnswerMeter(createFakeClock());
  let content = '';
  for (const event of events) {
    meter.event(event);
    if (event.type === 'text-received') content += event.text;
    await printer.event(event);
  }
  const metadata = meter.metadata();
  const failure = metadata.complete ? undefined : new Failure('incomplete', 'cut');
  await printer.end({ content, metadata, failure });
  return stdout.text();
}

const contextWith = (stdout: Output) => {
  const { context } = createMemoryContext();
  return { ...context, streams: { ...context.streams, stdout } };
};
const lines = (stdout: Output) => jsonLinesPrinter(contextWith(stdout));

const settings = { values: {}, colors: {} } as ResolvedSettings;

/** @param reason why the run was stopped */
const inFormat = (format: AnswerFormat, reason?: Error) => async (stdout: Output) => {
  const { signal } = contextWith(stdout);
  const stopped = reason === undefined ? signal : AbortSignal.abort(reason);
  const context = { ...contextWith(stdout), signal: stopped };
  const presentation = await present(context, { color: 'never', input: true });
  return createAnswerPrinter({ context, presentation, format }, settings, 'asked');
};
const document = inFormat('json');

test.each<[string, AnswerFormat, readonly ChatEvent[], string]>([
  ['nothing to exact text', 'exact', [started, text('a\u001B[31m', 'b')], 'a\u001B[31mb'],
  ['N2: a line end to text without one', 'text', [text('a\u001B[31m', 'b')], 'a\u001B[31mb\n'],
  ['N2: nothing to text with one', 'text', [text('a\n'), text('')], 'a\n'],
  ['N2: nothing without text', 'text', [started], ''],
  ['a line end on a terminal', 'plain', [text('a')], 'a\n'],
  ['nothing after a closed line', 'plain', [text('a\n')], 'a\n'],
  ['no escapes that are split over events', 'plain', [text('a\u001B'), text('[31mb')], 'ab\n'],
  ['the rest of Markdown', 'markdown', [text('a **b')], 'a **b\n'],
])('the text printer adds %s', async (_, format, events, shown) => {
  expect(await print(inFormat(format), events)).toBe(shown);
});

test.each<[string, AnswerFormat, string, string]>([
  ['the rest', 'markdown', 'a **b', 'a\n**b\n'],
  ['nothing without a rest', 'plain', 'a', 'a\n'],
])('N17: after Ctrl+C it begins a row and prints %s', async (_, format, answer, shown) => {
  const stopped = inFormat(format, new Interruption('SIGINT'));
  expect(await print(stopped, [text(answer)])).toBe(shown);
});

test('the JSON printer prints one document for a complete answer', async () => {
  const shown = await print(document, [started, text('a', 'b'), finished]);
  expect(shown).toMatch(/^\{.*\}\n$/);
  expect(JSON.parse(shown)).toEqual({
    id: 'chatcmpl-1',
    model: 'origin',
    content: 'ab',
    finish_reason: 'stop',
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    attempts: 1,
    timing: { first_text_ms: 18, total_ms: 31 },
  });
});

const named: ChatEvent = { type: 'answer-named', id: 'chatcmpl-9', model: 'nextgen' };

test.each([
  ['has the requested model', [started], { model: 'asked' }],
  ['keeps the reported id and model', [started, named], { id: 'chatcmpl-9', model: 'nextgen' }],
  ['has no id of an earlier attempt', [started, named, { ...started, attempt: 2 }], { id: null }],
])('the JSON of a cut answer %s', async (_, events, expected) => {
  const shown = await print(document, [...events, text('half')]);
  expect(JSON.parse(shown)).toMatchObject({ ...expected, content: 'half', incomplete: true });
});

test('Y3: the JSON printer prints a document for a prompt that fails before any text', async () => {
  expect(JSON.parse(await print(document, [started]))).toEqual({
    id: null,
    model: 'asked',
    content: '',
    finish_reason: null,
    usage: null,
    attempts: 1,
    timing: { total_ms: 0 },
    incomplete: true,
    error: { kind: 'incomplete', message: 'cut' },
  });
});

test('Y3: the JSON lines printer ends with the failure, its attempts and times', async () => {
  expect(jsonLines(await print(lines, [started, text('a')])).at(-1)).toEqual({
    type: 'answer-failed',
    attempts: 1,
    timing: { first_text_ms: 0, total_ms: 0 },
    error: { kind: 'incomplete', message: 'cut' },
  });
});

test('the JSON lines printer prints a line for each event, and one for each delta', async () => {
  const printed = jsonLines(await print(lines, [started, text('a', 'b'), finished]));
  expect(printed).toMatchObject([
    { type: 'answer-started' },
    { type: 'text-received', text: 'a' },
    { type: 'text-received', text: 'b' },
    { type: 'answer-finished' },
  ]);
});

test('T16 JSON is safe to show on a terminal and means the same', async () => {
  const hostile = '\u001B]0;x\u0007 \u009B31m \u007F \u202E \u200B \u2028 \uFEFF';
  const shown = await print(lines, [text(hostile)]);
  expect(shown).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E\u200B\u2028\uFEFF]/);
  expect(JSON.parse(shown.split('\n')[0] ?? '')).toEqual({ type: 'text-received', text: hostile });
});
