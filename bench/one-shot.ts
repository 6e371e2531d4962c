import { resolve } from 'node:path';
import { alternate } from './support/alternate.ts';
import { node, oneShot, program, type Bench } from './support/bench.ts';
import type { Program } from './support/measure.ts';
import { compare, type Row } from './support/table.ts';

async function benchPlain({ run, turns, plain }: Bench): Promise<readonly Row[]> {
  const natterProgram = oneShot(plain(1), 1);
  const first = {
    ...natterProgram,
    environment: { ...natterProgram.environment, NODE_DISABLE_COMPILE_CACHE: '1' },
  };
  const programs = [node, program('bare', plain(1), 1), natterProgram, first];
  const [empty = [], bare = [], natter = [], uncached = []] = await alternate(run, programs, turns);
  const against = 'bare node:http';
  return [
    {
      what: 'one chunk, whole run',
      against: node.name,
      ...compare(natter, empty, 'wall'),
      target: '2.1',
    },
    {
      what: 'one chunk, whole run, nothing compiled yet',
      against: node.name,
      ...compare(uncached, empty, 'wall'),
      target: '-',
    },
    {
      what: 'one chunk, first byte',
      against,
      ...compare(natter, bare, 'firstByte'),
      target: '1.25',
    },
  ];
}

/** Ways to accept the service's certificate. */
const trusts = [
  {
    name: 'local CA',
    environment: { NODE_EXTRA_CA_CERTS: resolve('test/support/certificates/authority.pem') },
  },
  // As fast as a public authority, which Node has built in; the variable above slows the start of Node 20 itself.
  { name: 'unchecked', environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' } },
] as const;

async function benchSecure({ run, turns, secure }: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, environment } of trusts) {
    const trusting = (one: Program) => ({
      ...one,
      environment: { ...one.environment, ...environment },
    });
    const programs = [program('bare', secure(1), 1), oneShot(secure(1), 1)].map(trusting);
    const [bare = [], natter = []] = await alternate(run, programs, turns);
    const what = `one chunk over https (${name}), first byte`;
    const result = compare(natter, bare, 'firstByte');
    rows.push({ what, against: 'bare node:https', ...result, target: '1.1' });
  }
  return rows;
}

export async function benchOneShot(bench: Bench): Promise<readonly Row[]> {
  return [...(await benchPlain(bench)), ...(await benchSecure(bench))];
}
