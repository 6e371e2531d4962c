import type { CompletionRequest } from '../client/contract.ts';
import type { Completion } from './answers/completion.ts';
import type { CompletionBody } from './completion-body.ts';
import { type Engine, engineCompletion } from './engine.ts';
import type { Exchange } from './exchange.ts';
import { withoutGroup } from './faults/directive.ts';
import { hostileLines } from './replies/hostile-reply.ts';
import type { Reply, ReplyName } from './replies/reply.ts';
import { countPromptTokens, tokensOf } from './token-counter.ts';

const pieceLength = 4096;

/** The last user turn, unchanged. */
const echoReply: Reply = function* echo({ text }) {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(start, start + pieceLength);
  }
};

const loaders: Readonly<Record<ReplyName, () => Promise<Reply>>> = {
  default: async () => (await import('./replies/default-reply.ts')).defaultReply,
  help: async () => (await import('./replies/help-reply.ts')).helpReply,
  echo: async () => echoReply,
  tokens: async () => (await import('./replies/prose-reply.ts')).proseReply,
  million: async () => (await import('./replies/prose-reply.ts')).millionReply,
  markdown: async () => (await import('./replies/markdown-reply.ts')).markdownReply,
  code: async () => (await import('./replies/code-reply.ts')).codeReply,
  tables: async () => (await import('./replies/tables-reply.ts')).tablesReply,
  unicode: async () => (await import('./replies/unicode-reply.ts')).unicodeReply,
  hostile: async () => (await import('./replies/hostile-reply.ts')).hostileReply,
};

/** The texts are loaded on demand, so that a sandbox starts fast. */
export async function loadReply(name: ReplyName): Promise<Reply> {
  return loaders[name]();
}

interface Script {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  /** The whole reply; what exceeds `maxTokens` is never taken. */
  readonly pieces: Iterable<string>;
}

/** An answer of the sandbox's own, token by token to the cap. */
function scriptedCompletion({
  id,
  model,
  promptTokens,
  maxTokens = Infinity,
  pieces,
}: Script): Completion {
  let completionTokens = 0;
  let finishReason = 'stop';
  function* takeTokens(): Generator<string, void, undefined> {
    for (const token of tokensOf(pieces)) {
      if (completionTokens >= maxTokens) {
        finishReason = 'length';
        return;
      }
      completionTokens += 1;
      yield token;
    }
  }
  return {
    id,
    model,
    deltas: [takeTokens()],
    ending: () => ({
      finishReason,
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
    }),
  };
}

/** A checked request for a completion, and who can answer it. */
export interface CompletionOrder {
  readonly exchange: Exchange;
  readonly body: CompletionBody;
  /** The last user turn without its `[sandbox …]` group. */
  readonly prompt: string;
  /** Milliseconds to the first token of the sandbox's own replies, by model id. */
  readonly latency: Readonly<Record<string, number>>;
  readonly engine: Engine | undefined;
}

/** An answer, and the milliseconds from the request's arrival that it is to take to its first token. */
interface OpenedCompletion {
  readonly completion: Completion;
  readonly latency: number;
}

function* joined(...parts: Iterable<string>[]): Generator<string, void, undefined> {
  for (const part of parts) yield* part;
}

async function openScripted(order: CompletionOrder, id: string): Promise<Completion> {
  const { exchange, body, prompt } = order;
  const { fault } = exchange;
  const promptTokens = countPromptTokens(body.messages);
  const usual = fault.tokens === undefined ? 'default' : 'tokens';
  const reply = await loadReply(fault.reply ?? usual);
  const { tokens, seed } = fault;
  const pieces = reply({ ...body, promptTokens, text: prompt, tokens, seed });
  return scriptedCompletion({
    ...body,
    id,
    promptTokens,
    pieces: fault.hostile === true ? joined(hostileLines(), pieces) : pieces,
  });
}

/** The contract's fields, and of them only what the client sent; groups of earlier prompts are no text either. */
function engineRequest({ model, messages, stream, maxTokens }: CompletionBody): CompletionRequest {
  return {
    model,
    messages: messages.map(({ role, content }) => ({
      role,
      content: role === 'user' ? withoutGroup(content) : content,
    })),
    ...(stream ? { stream } : {}),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
}

async function openEngine(engine: Engine, order: CompletionOrder, id: string): Promise<Completion> {
  const { exchange, body } = order;
  const request = engineRequest(body);
  return engineCompletion(engine(request, exchange.signal), {
    id,
    model: body.model,
    promptTokens: countPromptTokens(request.messages),
    prelude: exchange.fault.hostile === true ? hostileLines() : [],
  });
}

/**
 * Begins an answer: the engine's where there is one, unless the request asks for a reply of the sandbox's own.
 * @throws Failure of a kind the contract knows, where the engine cannot answer
 */
export async function openCompletion(order: CompletionOrder): Promise<OpenedCompletion> {
  const { exchange, body, engine, latency } = order;
  const { number, fault } = exchange;
  const id = `chatcmpl-sandbox${number}`;
  const asksForReply = fault.reply !== undefined || fault.tokens !== undefined;
  if (engine !== undefined && !asksForReply) {
    return { completion: await openEngine(engine, order, id), latency: 0 };
  }
  return { completion: await openScripted(order, id), latency: latency[body.model] ?? 0 };
}
