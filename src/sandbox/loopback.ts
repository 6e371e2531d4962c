import { isIPv4 } from 'node:net';
import { Failure } from '../failure.ts';

/** Whether a host name or address can only mean this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/**
 * Refuses a request that did not ask for this machine by a name of its own. Web pages can make their names lead to
 * 127.0.0.1, and the sandbox's keys are published: any page could use the sandbox, and the upstream behind it.
 * @param header the `Host` of the request
 * @throws Failure `forbidden`
 */
export function refuseForeignHost(header = ''): void {
  const host = header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(host.toLowerCase())) return;
  throw new Failure('forbidden', 'the sandbox answers only clients of this machine', {
    hint: 'use the address the sandbox printed, or localhost',
  });
}
