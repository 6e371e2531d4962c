import type { CompletionRequest } from '../client/contract.ts';
import type { Completion } from './answers/completion.ts';
import { engineCompletion } from './answers/engine-completion.ts';
import { scriptedCompletion } from './answers/scripted-completion.ts';
import type { CompletionBody } from './completion-body.ts';
import type { Engine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import { withoutGroup } from './faults/directive.ts';
import { hostileLines } from './replies/hostile-reply.ts';
import { loadReply } from './replies/load-reply.ts';
import { countPromptTokens } from './token-counter.ts';

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
