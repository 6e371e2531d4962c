import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';

/** The address of a port on which no server listens. */
async function unreachable(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('a batch of which every item fails shows the cause in a pipe', () => {
  const fail = async (env: Readonly<Record<string, string>>) => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(3));
    return place.run(['p.txt', '-o', 'out.jsonl', '--retries', '0'], { env });
  };

  test('an unreachable service', async () => {
    const { code, stderr } = await fail({ NATTER_BASE_URL: await unreachable() });
    expect(code).toBe(75);
    expect(stderr).toMatch(/^natter: first failure \(unreachable\), line \d: .*refused.*$/m);
    expect(stderr).toMatch(/is the server on port \d+ running\?/);
  });

  test.each([
    ['a wrong key', 'wrong-key'],
    ['no key', ''],
  ])('%s', async (_, key) => {
    const { code, stderr } = await fail({ NATTER_API_KEY: key });
    expect(code).toBe(4);
    expect(stderr.match(/the service requires a valid API key/g)).toHaveLength(1);
    expect(stderr).toContain('natter auth login');
  });
});
