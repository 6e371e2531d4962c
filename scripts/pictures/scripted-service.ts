// A service with written answers, for the pictures and for the examples of the README.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface ScriptedService {
  readonly url: string;
  close(): Promise<void>;
}

const folder = 'docs/pictures';
const retryAfterSeconds = 3;
/** Milliseconds before each word of a hurried answer, which still has a speed. */
const hurriedWait = 10;

function readAnswers(): readonly ScriptedAnswer[] {
  return JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as ScriptedAnswer[];
}

export function scriptedPrompts(): readonly string[] {
  return readAnswers().map(({ prompt }) => prompt);
}

const contentOf = ({ prompt, input }: ScriptedAnswer) =>
  input === undefined ? prompt : `${prompt}\n\n${readFileSync(join(folder, input), 'utf8')}`;

async function readRequest(request: IncomingMessage): Promise<ChatRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
}

function refuse(response: ServerResponse, status: number, name: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { name, message } }));
}

const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s?/g) ?? [];

function usageOf(content: string, words: readonly string[]) {
  const tokens = { prompt_tokens: wordsOf(content).length, completion_tokens: words.length };
  return { ...tokens, total_tokens: tokens.prompt_tokens + tokens.completion_tokens };
}

interface Reply {
  readonly response: ServerResponse;
  readonly request: ChatRequest;
  readonly answer: ScriptedAnswer;
  /** Milliseconds before each word. */
  readonly wait: number;
}

async function send({ response, request, answer, wait }: Reply): Promise<void> {
  const words = wordsOf(answer.answer);
  const usage = usageOf(contentOf(answer), words);
  const id = 'chatcmpl-scripted';
  if (request.stream !== true) {
    const message = { role: 'assistant', content: answer.answer };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const object = 'chat.completion.chunk';
  const event = (choice: object, rest?: object) =>
    response.write(
      `data: ${JSON.stringify({ id, object, choices: [{ index: 0, ...choice }], ...rest })}\n\n`,
    );
  for (const content of words) {
    await sleep(wait);
    event({ delta: { content } });
  }
  event({ delta: {}, finish_reason: 'stop' }, { usage });
  response.end('data: [DONE]\n\n');
}

/** Responds to one request; `attempts` counts those of each answer. */
async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  { attempts, isHurried }: { attempts: Map<string, number>; isHurried: boolean },
): Promise<void> {
  const request = await readRequest(incoming);
  const content = request.messages.at(-1)?.content;
  const answer = readAnswers().find(
    (one) => one.model === request.model && contentOf(one) === content,
  );
  if (answer === undefined) {
    refuse(response, 400, 'invalid_request', 'docs/pictures/answers.json lacks this prompt');
    return;
  }
  const attempt = (attempts.get(answer.prompt) ?? 0) + 1;
  attempts.set(answer.prompt, attempt);
  if (attempt <= (answer.refusals ?? 0)) {
    if (!isHurried) response.setHeader('retry-after', retryAfterSeconds);
    refuse(response, 429, 'rate_limited', 'busy');
    return;
  }
  await send({
    response,
    request,
    answer,
    wait: isHurried ? hurriedWait : 1000 / answer.wordsPerSecond,
  });
}

/** Serves the answers of `docs/pictures/answers.json`, at their pace or as fast as a test needs; other prompts are 400. */
export async function startScriptedService({ isHurried = false } = {}): Promise<ScriptedService> {
  const attempts = new Map<string, number>();
  const server = createServer((incoming, response) => {
    respond(incoming, response, { attempts, isHurried }).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
