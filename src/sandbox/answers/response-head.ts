import type { Clock } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';

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

/** `date+3` and its like as the date in so many seconds; anything else unchanged. */
function retryAfterText(value: string, clock: Clock): string {
  const [, format = '', seconds] = /^(date|rfc850|asctime)([+-]\d{1,9})$/.exec(value) ?? [];
  const write = dateFormats[format];
  if (write === undefined) return value;
  return write(new Date(clock.date().getTime() + Number(seconds) * 1000));
}

/** Headers of an answer, those of the fault last. */
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

/** Ends the body with the connection, where the fault wants it. */
export function applyFraming({ fault, response }: Exchange): void {
  if (fault.framing !== 'close') return;
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
}
