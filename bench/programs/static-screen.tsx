// A plain way to show a streamed answer with Ink: `static-screen.js <base URL>` has finished lines in `<Static>`, the open
// one below, and draws the deltas of 33 ms as one update. It ends when the terminal is closed.
import { createParser } from 'eventsource-parser';
import { Box, render, Static, Text } from 'ink';
import { request } from 'node:http';
import type { ReactElement } from 'react';

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

const batch = 33;
const lines: string[] = [];
let open = '';
let tokens = 0;
let isFinished = false;
let timer: NodeJS.Timeout | undefined;

function frame(): ReactElement {
  return (
    <Box flexDirection="column">
      <Static items={[...lines]}>{(line, index) => <Text key={index}>{line || ' '}</Text>}</Static>
      <Text>{open}</Text>
      <Box flexDirection="column">
        <Text dimColor>{`origin · ${tokens} tokens · Esc stops`}</Text>
        <Text>{'› '}</Text>
        <Text dimColor>{isFinished ? 'the answer is finished' : 'Light and air 1.2K/128K 1%'}</Text>
      </Box>
    </Box>
  );
}

const app = render(frame());

function draw(): void {
  timer = undefined;
  app.rerender(frame());
}

const parser = createParser({
  onEvent({ data }) {
    if (data === '[DONE]') isFinished = true;
    else {
      const { choices } = JSON.parse(data) as Chunk;
      const parts = (open + (choices[0]?.delta.content ?? '')).split('\n');
      open = parts.pop() ?? '';
      lines.push(...parts);
      tokens += 1;
    }
    timer ??= setTimeout(draw, batch);
  },
});

const url = `${process.argv[2] ?? ''}/chat/completions`;
const headers = { 'content-type': 'application/json' };
const messages = [{ role: 'user', content: 'hi' }];
request(url, { method: 'POST', headers }, (response) => {
  response.setEncoding('utf8');
  response.on('data', (part: string) => parser.feed(part));
}).end(JSON.stringify({ model: 'origin', messages, stream: true }));
process.stdin.resume().once('end', () => app.unmount());
