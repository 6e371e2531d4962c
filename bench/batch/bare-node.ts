// Sends prompts with `node:http` and reads the answers: `bare-node.js <URL> <items> <concurrency>`.
import { Agent, request } from 'node:http';
import { bodyOf, runBare } from './bare.ts';

const agent = new Agent({ keepAlive: true, noDelay: true });

await runBare((url, index) => {
  const body = bodyOf(index);
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      let size = 0;
      incoming.on('data', (bytes: Buffer) => (size += bytes.length));
      incoming.on('end', () => resolve(size));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
});
agent.destroy();
