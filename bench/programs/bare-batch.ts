// Sends prompts with a Pool of undici and reads the answers: `bare-batch.cjs <base URL> <items> <concurrency>`.
import { Pool } from 'undici';

const [address = '', items = '', concurrency = ''] = process.argv.slice(2);
const url = new URL(address);
const pool = new Pool(url.origin);
const headers = { 'content-type': 'application/json' };

/** Resolves with the bytes of the answer. */
function send(index: number): Promise<number> {
  const messages = [{ role: 'user', content: `What is worth knowing about ${index}?` }];
  const body = JSON.stringify({ model: 'origin', messages, stream: true });
  const path = `${url.pathname}/chat/completions`;
  return new Promise((resolve, reject) => {
    let size = 0;
    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: (_, bytes) => void (size += bytes.length),
        onResponseEnd: () => resolve(size),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

async function run(): Promise<void> {
  let next = 1;
  const work = async () => {
    while (next <= Number(items)) {
      if ((await send(next++)) === 0) throw new Error('an answer was empty');
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, work));
  await pool.close();
}

void run();
