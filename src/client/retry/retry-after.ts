import type { ResponseHeaders } from '../http/transport.ts';

/**
 * Milliseconds to wait, from `retry-after-ms`, else `Retry-After` (seconds, fractions too, or an HTTP-date, RFC 9110
 * sections 10.2.3 and 5.6.7). Can be Infinity. Undefined when absent, unreadable or past.
 */
export function retryAfter(headers: ResponseHeaders, now: Date): number | undefined {
  const milliseconds = headers['retry-after-ms'];
  const fromMilliseconds =
    typeof milliseconds === 'string' ? parseDecimal(milliseconds) : undefined;
  if (fromMilliseconds !== undefined) return fromMilliseconds;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = parseDecimal(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = parseHttpDate(text.trim(), now);
  if (date === undefined || date < now.getTime()) return undefined;
  return date - now.getTime();
}

function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^infinity$/i.test(trimmed)) return Infinity;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const dateForms = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  new RegExp(String.raw`^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) ${time} GMT$`),
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  new RegExp(String.raw`^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) ${time} GMT$`),
  // asctime: Sun Nov  6 08:49:37 1994
  new RegExp(String.raw`^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) ${time} (?<year>\d{4})$`),
];

/** Milliseconds since 1970 of an HTTP-date, which is always in GMT. */
function parseHttpDate(text: string, now: Date): number | undefined {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const month = months.indexOf((parts['month'] ?? '').toLowerCase());
    if (month === -1) return undefined;
    return Date.UTC(
      fullYear(parts['year'] ?? '', now),
      month,
      Number(parts['day']),
      Number(parts['hour']),
      Number(parts['minute']),
      Number(parts['second']),
    );
  }
  return undefined;
}

/** Two digits mean the past century when they would lie more than 50 years ahead (RFC 9110, section 5.6.7). */
function fullYear(digits: string, now: Date): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = now.getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
