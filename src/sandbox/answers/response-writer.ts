import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transform, Writable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { type Exchange, pause } from '../exchange.ts';
import type { Fault } from '../faults/fault-fields.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The three date formats of RFC 9110, section 5.6.7. */
const dateFormats: Readonly<Record<string, (date: Date) => string>> = {
  date: (date) => date.toUTCString(),
  rfc850(date) {
    const [, day, month, year = '', time] = date.toUTCString().split(' ');
    return `${days[date.getUTCDay()]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
  },
  asctime(date) {
    const [name = '', day = '', month, year, time] = date.toUTCString().split(' ');
    return `${name.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
  },
};

/** `date+3` becomes the date in three seconds, in the named format; any other value is unchanged. */
function retryAfterText(value: string, clock: Clock): string {
  const [, format = '', seconds] = /^(date|rfc850|asctime)([+-]\d{1,9})$/.exec(value) ?? [];
  const write = dateFormats[format];
  if (write === undefined) return value;
  return write(new Date(clock.date().getTime() + Number(seconds) * 1000));
}

/** Headers of the fault replace the others. */
export function responseHeaders(
  { clock, fault, number }: Exchange,
  contentType: string,
): Record<string, string> {
  const type = fault['content-type'] ?? contentType;
  const retryAfter = fault['retry-after'];
  return {
    'content-type': fault.charset === undefined ? type : `${type}; charset=${fault.charset}`,
    'x-request-id': `sandbox-request-${number}`,
    ...(fault.encoding === undefined ? {} : { 'content-encoding': fault.encoding }),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfterText(retryAfter, clock) }),
    ...fault.headers,
  };
}

/** With the fault `framing=close`, the body ends with the connection. */
export function applyFraming({ fault, response }: Exchange): void {
  if (fault.framing !== 'close') return;
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
}

/** Writes the body of an answer: compressed, split and slowed down by the fault. */
export interface BodyWriter {
  /** Resolves when the client can take more. */
  write(chunk: string | Buffer): Promise<void>;
  /** Resolves when the compressor has sent everything. */
  flush(): Promise<void>;
  end(): void;
}

type Encoding = NonNullable<Fault['encoding']>;

interface Compressor extends Transform {
  flush(callback: () => void): void;
}

async function createCompressor(encoding: Encoding): Promise<Compressor> {
  const zlib = await import('node:zlib');
  const create = {
    gzip: zlib.createGzip,
    br: zlib.createBrotliCompress,
    deflate: zlib.createDeflate,
  }[encoding];
  return create();
}

function bytesPerWrite({ split, drip }: Fault): number | undefined {
  return drip?.bytes ?? (split !== undefined && 'bytes' in split ? split.bytes : undefined);
}

function createWrite(exchange: Exchange, target: Writable): BodyWriter['write'] {
  const { fault, signal } = exchange;
  const size = bytesPerWrite(fault);
  const interval = fault.drip?.bytes === undefined ? 0 : fault.drip.interval;
  const writeWhole = async (chunk: string | Buffer): Promise<void> => {
    signal.throwIfAborted();
    if (!target.write(chunk)) await once(target, 'drain', { signal });
  };
  if (size === undefined) return writeWhole;
  return async (chunk) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let start = 0; start < bytes.length; start += size) {
      await writeWhole(bytes.subarray(start, start + size));
      await nextTurn();
      if (interval > 0) await pause(exchange, interval);
    }
  };
}

function pipeCompressor(compressor: Compressor, { response, signal }: Exchange): void {
  compressor.pipe(response);
  // Without a reader, a flush would wait forever.
  const destroy = (): void => void compressor.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  compressor.once('close', () => signal.removeEventListener('abort', destroy));
}

/** Call it after writing the head. */
export async function openBodyWriter(exchange: Exchange): Promise<BodyWriter> {
  const { fault, response } = exchange;
  const compressor =
    fault.encoding === undefined ? undefined : await createCompressor(fault.encoding);
  if (compressor !== undefined) pipeCompressor(compressor, exchange);
  const target = compressor ?? response;
  return {
    write: createWrite(exchange, target),
    async flush() {
      if (compressor === undefined) return;
      await new Promise<void>((resolve) => {
        compressor.flush(resolve);
      });
    },
    end() {
      target.end();
    },
  };
}
