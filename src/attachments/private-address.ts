import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { isLoopbackName } from '../address.ts';

const privateAddresses = new BlockList();

// Of the registries of special-purpose addresses (RFC 6890): those that reach this machine or its network.
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  privateAddresses.addSubnet(network, prefix, 'ipv6');
}

function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(?:0:)?(?<ipv4>\d+(?:\.\d+){3})$/i.exec(address)?.groups?.['ipv4'];
  const plain = mapped ?? address;
  return privateAddresses.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** The addresses of a host name; none if it has none, or if only a proxy can look it up. */
export type LookUp = (name: string) => Promise<readonly string[]>;

export const lookUpAddresses: LookUp = async (name) => {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    // The request reports a name that does not exist.
    return [];
  }
};

/** Whether a host is this machine or in a private network. @param hostname of a URL */
export async function isPrivateHost(hostname: string, lookUp: LookUp): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopbackName(host)) return true;
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return (await lookUp(host)).some(isPrivateAddress);
}
