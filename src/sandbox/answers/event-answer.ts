import { parseAnyJson } from '../../json.ts';
import { type Completion, finishReasonOf, reportedUsage } from '../completion.ts';
import { type Exchange, pause } from '../exchange.ts';
import type { Fault } from '../faults/fault-fields.ts';
import { malformedEvents } from '../shapes.ts';
import {
  afterAnswer,
  cut,
  cutPosition,
  stall,
  type BodyWriter,
  responseHeaders,
  sendHead,
} from './response-writer.ts';
import { errorText } from './whole-answer.ts';

/** Mixed ends have one kind for each event: within an event, a CR before an LF would be one line end, not two. */
const lineEnds = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n', '\r'] } as const;

function lineEndOf({ 'line-ending': kind = 'lf' }: Fault, event: number): string {
  const ends = lineEnds[kind];
  return ends[event % ends.length] ?? '\n';
}

function splitOverLines(data: string): readonly string[] {
  const value = parseAnyJson(data);
  return value === undefined ? [data] : JSON.stringify(value, null, 1).split('\n');
}

/** `data: <json>` and a blank line (contract, Events), changed by the fault. */
function createEventFormat(fault: Fault): (data: string, name?: string) => string {
  const prefix = `data:${' '.repeat(fault['data-spaces'] ?? 1)}`;
  let number = 0;
  return (data, name) => {
    number += 1;
    const end = lineEndOf(fault, number);
    const lines = fault['data-lines'] === true ? splitOverLines(data) : [data];
    const extras =
      fault['extra-fields'] === true
        ? [`id: ${number}`, 'retry: 10', 'event', 'x-unknown: 1', 'no colon']
        : [];
    const names = name === undefined ? [] : [`event: ${name}`];
    const event = [...extras, ...names, ...lines.map((line) => prefix + line)];
    return `${`: comment${end}`.repeat(fault.comments ?? 0)}${event.join(end)}${end}${end}`;
  };
}

/** With the fault, deltas of a number of UTF-16 units; these may split surrogate pairs. */
async function* splitDeltas(
  deltas: Completion['deltas'],
  { split }: Fault,
): AsyncGenerator<string, void, undefined> {
  if (split === undefined || !('units' in split)) {
    yield* deltas;
    return;
  }
  let rest = '';
  for await (const delta of deltas) {
    rest += delta;
    let start = 0;
    for (; start + split.units <= rest.length; start += split.units) {
      yield rest.slice(start, start + split.units);
    }
    rest = rest.slice(start);
  }
  if (rest !== '') yield rest;
}

const roles = { first: 'assistant', every: 'assistant', null: null, empty: '' } as const;

const emptyDeltas: readonly object[] = [
  {},
  { delta: null },
  { delta: {} },
  { delta: { content: null } },
  { delta: { content: '' } },
  { delta: { content: [{ type: 'text' }] } },
  { delta: { role: null } },
  { delta: { tool_calls: [{ index: 0, function: { name: 'none', arguments: '{' } }] } },
  { delta: { __unknown: true }, logprobs: null, constructor: 1 },
];

/** The choices of chunks before the text; none of them adds to it. */
function* openingChoices(
  fault: Fault,
  nextRole: () => object,
): Generator<readonly object[], void, undefined> {
  if (fault['empty-choices'] === true) yield [];
  if (fault.role !== undefined && fault.role !== 'none') {
    yield [{ index: 0, delta: { role: roles[fault.role] } }];
  }
  if (fault['odd-chunks'] === true) {
    for (const odd of emptyDeltas) yield [{ index: 0, ...odd }];
    yield [{ index: 1, delta: { content: 'second choice' } }];
  }
  if (fault.reasoning !== undefined) {
    for (const thought of ['The sandbox ', 'does not ', 'think.']) {
      yield [{ index: 0, delta: { ...nextRole(), [fault.reasoning]: thought } }];
    }
  }
}

/**
 * The payloads of an answer's events, lazily. By default the last chunk has an empty content, the finish_reason and the
 * usage; the contract does not define it.
 */
async function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): AsyncGenerator<string, void, undefined> {
  const place = fault.usage ?? 'finish';
  const write = (choices: readonly object[], withUsage = place === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? reportedUsage(fault, completion) : undefined,
    });

  let isFirst = true;
  /** By default the first delta has the role, which strict clients require. */
  function nextRole(): object {
    const role = fault.role ?? (isFirst ? 'every' : 'none');
    isFirst = false;
    return role === 'first' || role === 'none' ? {} : { role: roles[role] };
  }

  for (const choices of openingChoices(fault, nextRole)) yield write(choices);
  const name = fault.refusal === true ? 'refusal' : 'content';
  for await (const text of splitDeltas(completion.deltas, fault)) {
    yield write([{ index: 0, delta: { ...nextRole(), [name]: text } }]);
  }

  const finish = finishReasonOf(fault, completion);
  const last = { index: 0, delta: { ...(fault.role === undefined && nextRole()), content: '' } };
  if (finish !== undefined || place === 'finish') {
    yield write([{ ...last, finish_reason: finish }], place === 'finish' || place === 'every');
  }
  if (place === 'last') yield write([], true);
  if (fault['no-done'] !== true) yield '[DONE]';
  if (fault['after-done'] === true) {
    yield write([{ index: 0, delta: { content: ' text after the end' } }]);
  }
}

/** Milliseconds until the next event is due, by the number of those sent; the first one is due immediately. */
function createPace({ clock, fault: { rate, drip } }: Exchange): (sent: number) => number {
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  if (rate === undefined) return (sent) => (sent === 0 ? 0 : interval);
  const start = clock.monotonic();
  return (sent) => Math.max(0, start + (sent * 1000) / rate - clock.monotonic()) + interval;
}

async function writeEndlessLine(body: BodyWriter): Promise<never> {
  await body.write('data: ');
  const filler = 'x'.repeat(16_384);
  for (;;) await body.write(filler);
}

/** @returns false when the answer was cut */
async function sendEvents(
  exchange: Exchange,
  body: BodyWriter,
  payloads: AsyncIterable<string>,
): Promise<boolean> {
  const { fault, record } = exchange;
  const format = createEventFormat(fault);
  const timeToNext = createPace(exchange);
  /** The line end of the last event, if the fault omits it. */
  let lineEnd = '';
  const send = (event: string, encoding: BufferEncoding = 'utf8') => {
    const text = fault.unterminated === true ? event.replace(/[\r\n]+$/, '') : event;
    const written = Buffer.from(lineEnd + text, encoding);
    lineEnd = event.slice(text.length);
    return body.write(written);
  };
  if (fault.bom !== undefined) await body.write('\uFEFF'.repeat(fault.bom));
  for await (const data of payloads) {
    const wait = timeToNext(record.events);
    if (wait > 0) await pause(exchange, wait);
    if (fault['stall-after'] === record.events) {
      const end = lineEndOf(fault, 0);
      await stall(exchange, () => body.write(`: keep-alive${end}${end}`));
    }
    if (cutPosition(fault) === record.events) {
      await cut(exchange);
      return false;
    }
    const number = record.events + 1;
    if (fault['error-at'] === number) {
      const { text } = errorText(exchange, 500, 'simulated failure in the middle of an answer');
      await send(format(text, fault['error-as'] === 'event' ? 'error' : undefined));
      record.events = number;
      return true;
    }
    if (fault['malformed-at'] === number) {
      const kind = fault['malformed-as'] ?? 'truncated';
      const [, corrupt] = malformedEvents[kind];
      if (corrupt === undefined) await writeEndlessLine(body);
      else await send(format(corrupt(data)), kind === 'utf8' ? 'latin1' : 'utf8');
    } else await send(format(data));
    record.events = number;
  }
  return true;
}

/** The headers are sent at once, the first event `latency` milliseconds after the request arrived. */
export async function answerWithEvents(
  exchange: Exchange,
  completion: Completion,
  latency: number,
): Promise<void> {
  const { clock, fault } = exchange;
  const body = await sendHead(exchange, 200, {
    'cache-control': 'no-cache',
    ...responseHeaders(exchange, 'text/event-stream'),
  });
  await pause(exchange, Math.max(0, exchange.arrived + latency - clock.monotonic()));
  const isWhole = await sendEvents(exchange, body, chunkPayloads(completion, fault));
  if (isWhole) afterAnswer(exchange, () => body.end());
}
