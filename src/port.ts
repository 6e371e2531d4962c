const largest = 65_535;

/** What is wrong with the port of an address that is no URL: `port 99999, and ports end at 65535`. */
export function portProblem(address: string): string | undefined {
  const port = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*:(?<port>\d+)(?:[/?#]|$)/i.exec(address)?.groups?.[
    'port'
  ];
  if (port === undefined || Number(port) <= largest) return undefined;
  return `port ${port}, and ports end at ${largest}`;
}

const bareLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/\S*)?$/i;

/** The address of a server on this machine with its `http://`, where it is left out; any other text as it is. */
export function completeAddress(address: string): string {
  return bareLoopback.test(address) ? `http://${address}` : address;
}
