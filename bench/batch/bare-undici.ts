// Sends prompts with a Pool of undici and reads the answers: `bare-undici.js <URL> <items> <concurrency>`.
import { Pool } from 'undici';
import { bodyOf, runBare } from './bare.ts';

let pool: Pool | undefined;

await runBare((url, index) => {
  const connections = (pool ??= new Pool(url.origin));
  const headers = { 'content-type': 'application/json' };
  const request = { path: url.pathname, method: 'POST', headers, body: bodyOf(index) } as const;
  return new Promise((resolve, reject) => {
    let size = 0;
    connections.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: (_, bytes) => void (size += bytes.length),
      onResponseEnd: () => resolve(size),
      onResponseError: (_, error) => reject(error),
    });
  });
});
await pool?.close();
