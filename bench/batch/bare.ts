/** The body of a request for a streamed answer to prompt `index`. */
export function bodyOf(index: number): Buffer {
  const content = promptOf(index);
  const messages = [{ role: 'user', content }];
  return Buffer.from(JSON.stringify({ model: 'origin', messages, stream: true }));
}

export const promptOf = (index: number) => `What is worth knowing about the number ${index}?`;

/**
 * Sends the prompts that the command line asks for.
 * @param send resolves with the bytes of an answer
 */
export async function runBare(send: (url: URL, index: number) => Promise<number>): Promise<void> {
  const [address = '', items = '', concurrency = ''] = process.argv.slice(2);
  const url = new URL('/v1/chat/completions', address);
  let next = 1;
  const work = async () => {
    while (next <= Number(items)) {
      if ((await send(url, next++)) === 0) throw new Error('an answer was empty');
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, work));
}
