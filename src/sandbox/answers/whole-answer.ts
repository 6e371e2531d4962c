import { STATUS_CODES } from 'node:http';
import { errorNames } from '../../client/contract.ts';
import type { Failure } from '../../failure.ts';
import type { Exchange } from '../exchange.ts';
import { errorBody } from '../shapes.ts';
import {
  afterAnswer,
  cut,
  cutPosition,
  stall,
  responseHeaders,
  sendHead,
} from './response-writer.ts';

interface WholeAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function sendWhole(exchange: Exchange, answer: WholeAnswer): Promise<void> {
  const { fault } = exchange;
  const { status, contentType, text } = answer;
  // Else the body is not sent whole and unchanged.
  const hasLength =
    status !== 204 &&
    status !== 304 &&
    fault.encoding === undefined &&
    fault.framing === undefined &&
    fault.cut !== 'end';
  const body = await sendHead(exchange, status, {
    ...(hasLength && { 'content-length': String(Buffer.byteLength(text)) }),
    ...answer.headers,
    ...responseHeaders(exchange, contentType),
  });
  const cutAfter = cutPosition(fault);
  const stallAfter = fault['stall-after'];
  const interruption = stallAfter ?? cutAfter;
  // What is sent before a stall or cut: nothing if that is right after the headers, else half.
  const isHalf = typeof interruption === 'number' && interruption > 0;
  const first = isHalf ? text.slice(0, Math.ceil(text.length / 2)) : '';
  await body.write(first);
  if (stallAfter !== undefined) await stall(exchange, async () => {});
  if (typeof cutAfter === 'number') {
    await cut(exchange);
    return;
  }
  await body.write(text.slice(first.length));
  afterAnswer(exchange, () => body.end());
}

export async function sendJson(exchange: Exchange, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await sendWhole(exchange, { status: 200, contentType: 'application/json', text });
}

/** Messages quote the request, which can be long. */
const maxMessageLength = 2000;

const hostileText = ' \u001b[31m\u001b]0;owned\u0007\u202etxet\u009b2J';

/** The contract's name for a status, else one made from HTTP's reason phrase. */
export function errorName(status: number): string {
  const known: Readonly<Record<number, string>> = errorNames;
  const phrase = STATUS_CODES[status] ?? (status < 500 ? 'client error' : 'server error');
  return known[status] ?? phrase.toLowerCase().replaceAll(/[^a-z]+/g, '_');
}

export function errorText(
  { fault }: Exchange,
  status: number,
  message: string,
): ReturnType<typeof errorBody> {
  const shown = fault.message ?? message;
  const text = fault.hostile === true ? shown + hostileText : shown;
  return errorBody(fault['error-shape'] ?? 'nested', status, errorName(status), text);
}

export async function answerFailure(exchange: Exchange, failure: Failure): Promise<void> {
  const { kind, hint, message, retryAfterSeconds } = failure;
  // Other kinds are such as a mistake in a `[sandbox …]` group.
  const [code = 400] = Object.entries(errorNames).find(([, name]) => name === kind) ?? [];
  const status = Number(code);
  const isLong = message.length > maxMessageLength;
  const short = isLong ? `${message.slice(0, maxMessageLength)}…` : message;
  await sendWhole(exchange, {
    ...errorText(exchange, status, hint === undefined ? short : `${short}; ${hint}`),
    status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
  });
}

function guessContentType(body: string): string {
  if (/^\s*[{[]/.test(body)) return 'application/json';
  if (/^\s*</.test(body)) return 'text/html';
  return /^(?:data|event|id|retry)?:/.test(body) ? 'text/event-stream' : 'text/plain';
}

/** @returns false if the fault has neither a status nor a body */
export async function answerWithFault(exchange: Exchange): Promise<boolean> {
  const { fault } = exchange;
  const { body } = fault;
  const implied = fault['retry-after'] === undefined || body !== undefined ? 200 : 429;
  const status = fault.status ?? implied;
  if (body !== undefined) {
    await sendWhole(exchange, { status, contentType: guessContentType(body), text: body });
    return true;
  }
  if (status === 200) return false;
  const error =
    status < 400
      ? { contentType: 'text/plain', text: '' }
      : errorText(exchange, status, `simulated status ${status}`);
  await sendWhole(exchange, { ...error, status });
  return true;
}
