const maxPort = 65_535;

/** What is wrong with the port of an invalid URL: `port 99999, over the maximum of 65535`. */
export function portProblem(address: string): string | undefined {
  const port = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*:(?<port>\d+)(?:[/?#]|$)/i.exec(address)?.groups?.[
    'port'
  ];
  if (port === undefined || Number(port) <= maxPort) return undefined;
  return `port ${port}, over the maximum of ${maxPort}`;
}

const bareLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/\S*)?$/i;

/** Adds a missing `http://` to the address of a server on this machine; returns any other text unchanged. */
export function completeAddress(address: string): string {
  return bareLoopback.test(address) ? `http://${address}` : address;
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const loopback = new RegExp(`^(?:localhost|::1|127(?:\\.${octet}){3})$`);

export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** {@link isLoopback} of a URL's host name, and `*.localhost`: a client may trust it (RFC 6761), a server may not. */
export function isLoopbackName(hostname: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return isLoopback(host) || host.endsWith('.localhost');
}
