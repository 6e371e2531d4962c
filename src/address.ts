import { isIPv4 } from 'node:net';

const maxPort = 65_535;

/** What is wrong with the port of an invalid URL: `port 99999, over the maximum of 65535`. */
export function portProblem(address: string): string | undefined {
  const [, port] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(address) ?? [];
  if (port === undefined || Number(port) <= maxPort) return undefined;
  return `port ${port}, over the maximum of ${maxPort}`;
}

/** Adds a missing `http://` to the address of a server on this machine; returns any other text unchanged. */
export function completeAddress(address: string): string {
  const bareLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/\S*)?$/i;
  return bareLoopback.test(address) ? `http://${address}` : address;
}

/** A part of a URL without percent-encoding; unchanged if its percent signs encode nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isLoopback(host: string): boolean {
  if (!host.startsWith('127.')) return host === 'localhost' || host === '::1';
  return isIPv4(host);
}

/** {@link isLoopback} of a URL's host name, and `*.localhost`: a client may trust it (RFC 6761), a server may not. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase();
  const host = name.endsWith('.') ? name.slice(0, -1) : name;
  return isLoopback(host) || host === '[::1]' || host.endsWith('.localhost');
}
