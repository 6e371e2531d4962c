import type { OpenNetwork } from '../../client/http/network.ts';
import { type Environment, isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';

/** The network of single prompts: `node:http`, unless `NATTER_TRANSPORT` is `undici`. @throws Failure `configuration` */
export async function singleNetwork(environment: Environment): Promise<OpenNetwork> {
  const name = isSet(environment, 'NATTER_TRANSPORT') ? environment['NATTER_TRANSPORT'] : 'node';
  if (name === 'node') {
    return (await import('../../client/http/node/node-network.ts')).nodeNetwork;
  }
  if (name === 'undici') {
    return (await import('../../client/http/undici/undici-network.ts')).undiciNetwork;
  }
  throw new Failure('configuration', `NATTER_TRANSPORT must be node or undici, not ${name}`, {
    hint: 'unset it: node:http starts sooner',
  });
}

/** An early connection begins at the end of this turn; what follows would delay it. */
export const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));
