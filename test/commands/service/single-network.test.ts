import { expect, test } from 'vitest';
import { nodeNetwork } from '../../../src/client/http/node/node-network.ts';
import { undiciNetwork } from '../../../src/client/http/undici/undici-network.ts';
import { singleNetwork } from '../../../src/commands/service/single-network.ts';

test.each([
  [undefined, nodeNetwork],
  ['', nodeNetwork],
  ['node', nodeNetwork],
  ['undici', undiciNetwork],
])('NATTER_TRANSPORT=%s selects a network', async (name, network) => {
  expect(await singleNetwork({ NATTER_TRANSPORT: name })).toBe(network);
});

test('a different value of NATTER_TRANSPORT is refused', async () => {
  await expect(singleNetwork({ NATTER_TRANSPORT: 'curl' })).rejects.toMatchObject({
    kind: 'configuration',
    message: 'NATTER_TRANSPORT must be node or undici, not curl',
  });
});
