// A service with written answers, and a home folder, for the pictures and for the examples of the README.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

interface ScriptedAnswer {
  readonly model: string;
  readonly prompt: string;
  /** The file whose text a pipe appends to the prompt. */
  readonly input?: string;
  readonly answer: string;
  readonly wordsPerSecond: number;
  /** The number of times that the service responds with 429 first. */
  readonly refusals?: number;
}

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

export interface ScriptedService {
  readonly url: string;
  close(): Promise<void>;
}

const folder = 'docs/pictures';
const retryAfterSeconds = 3;
/** Milliseconds before each word of a hurried answer, which still has a speed. */
const hurriedWait = 10;

const readAnswers = () =>
  JSON.parse(readFileSync(`${folder}/answers.json`, 'utf8')) as readonly ScriptedAnswer[];

export const scriptedPrompts = () => readAnswers().map(({ prompt }) => prompt);

const contentOf = ({ prompt, input }: ScriptedAnswer) =>
  input === undefined ? prompt : `${prompt}\n\n${readFileSync(`${folder}/${input}`, 'utf8')}`;

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message } }));
}

const wordsOf = (words: string) => words.match(/\s*\S+\s?/g) ?? [];

/** Streams an answer. @param wait milliseconds before each word */
async function send(response: ServerResponse, answer: ScriptedAnswer, wait: number): Promise<void> {
  const words = wordsOf(answer.answer);
  const prompt_tokens = wordsOf(contentOf(answer)).length;
  const completion_tokens = words.length;
  const total_tokens = prompt_tokens + completion_tokens;
  const usage = { prompt_tokens, completion_tokens, total_tokens };
  const event = (choice: object, rest?: object) => {
    const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk' };
    const chunk = { ...head, choices: [{ index: 0, ...choice }], ...rest };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const content of words) {
    await sleep(wait);
    event({ delta: { content } });
  }
  event({ delta: {}, finish_reason: 'stop' }, { usage });
  response.end('data: [DONE]\n\n');
}

/** Serves the answers of `docs/pictures/answers.json`, at their pace or as fast as a test needs; other prompts are 400. */
export async function startScriptedService({ isHurried = false } = {}): Promise<ScriptedService> {
  const attempts = new Map<string, number>();
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { model, messages } = JSON.parse(await text(incoming)) as ChatRequest;
    const content = messages.at(-1)?.content;
    const answer = readAnswers().find((one) => one.model === model && contentOf(one) === content);
    if (answer === undefined) {
      refuse(response, 400, 'docs/pictures/answers.json lacks this prompt');
      return;
    }
    const attempt = (attempts.get(answer.prompt) ?? 0) + 1;
    attempts.set(answer.prompt, attempt);
    if (attempt <= (answer.refusals ?? 0)) {
      if (!isHurried) response.setHeader('retry-after', retryAfterSeconds);
      refuse(response, 429, 'busy');
      return;
    }
    await send(response, answer, isHurried ? hurriedWait : 1000 / answer.wordsPerSecond);
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A new home with natter on the path. @param programs shell commands by their names, which are on the path, too */
export function createHome(programs: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'natter-home-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const natter = `exec "${process.execPath}" "${resolve('bin/natter.cjs')}" "$@"`;
  mkdirSync(join(home, 'bin'));
  for (const [name, command] of Object.entries({ natter, ...programs })) {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  }
  const environment = {
    PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  return { home, environment };
}
