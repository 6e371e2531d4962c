// The minimum a Node program needs for the same answer: `bare.cjs <base URL>` prints the stream, one write for each
// network read.
import { createParser } from 'eventsource-parser';

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

const url = new URL(`${process.argv[2] ?? ''}/chat/completions`);
let text = '';
const parser = createParser({
  onEvent({ data }) {
    if (data === '[DONE]') return;
    text += (JSON.parse(data) as Chunk).choices[0]?.delta.content ?? '';
  },
});
const body = JSON.stringify({
  model: 'origin',
  messages: [{ role: 'user', content: 'hi' }],
  stream: true,
});
const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' };

async function run(): Promise<void> {
  const { request } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  const outgoing = request(url, { method: 'POST', headers }, (response) => {
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      parser.feed(part);
      if (text !== '') process.stdout.write(text);
      text = '';
    });
  });
  outgoing.end(body);
}

void run();
