import { type CompletionRequest, sandboxIdStart } from '../client/contract.ts';
import type { Completion } from './answers/completion.ts';
import type { CompletionBody } from './completion-body.ts';
import { type Engine, engineCompletion } from './engine.ts';
import type { Exchange } from './exchange.ts';
import { withoutGroup } from './faults/directive.ts';
import type { Fault } from './faults/fault-fields.ts';
import { hostileLines } from './replies/hostile-reply.ts';
import type { Reply, ReplyName } from './replies/reply.ts';
import { countPromptTokens, tokensOf } from './token-counter.ts';

const pieceLength = 4096;

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
  sample: async () => (await import('./replies/sample-reply.ts')).sampleReply,
  fenced: async () => (await import('./replies/sample-reply.ts')).fencedReply,
  misfit: async () => (await import('./replies/sample-reply.ts')).misfitReply,
  hostile: async () => (await import('./replies/hostile-reply.ts')).hostileReply,
};

/** Imports the reply on demand, to keep the start of a sandbox fast. */
export async function loadReply(name: ReplyName): Promise<Reply> {
  return loaders[name]();
}

interface ScriptedReply {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  /** The whole reply; read only up to `maxTokens`. */
  readonly pieces: Iterable<string>;
}

/** Streams a reply token by token, up to `maxTokens`. */
function scriptedCompletion({
  id,
  model,
  promptTokens,
  maxTokens = Infinity,
  pieces,
}: ScriptedReply): Completion {
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

export interface CompletionJob {
  readonly exchange: Exchange;
  readonly body: CompletionBody;
  /** The last user message without its `[sandbox …]` group. */
  readonly prompt: string;
  /** Milliseconds to the first token of the sandbox's own replies, by model id. */
  readonly latency: Readonly<Record<string, number>>;
  readonly engine: Engine | undefined;
}

/** A completion, and the milliseconds from the request's arrival to its first token. */
interface OpenedCompletion {
  readonly completion: Completion;
  readonly latency: number;
}

function* joined(...parts: Iterable<string>[]): Generator<string, void, undefined> {
  for (const part of parts) yield* part;
}

/** The reply if the fault names none. */
async function plainReply({ messages }: CompletionBody, { tokens }: Fault): Promise<ReplyName> {
  if (tokens !== undefined) return 'tokens';
  if (!messages.some(({ content }) => content.includes('JSON Schema'))) return 'default';
  const { schemaIn } = await import('./replies/sample-reply.ts');
  return schemaIn(messages) === undefined ? 'default' : 'sample';
}

async function openScripted(job: CompletionJob, id: string): Promise<Completion> {
  const { exchange, body, prompt } = job;
  const { fault } = exchange;
  const promptTokens = countPromptTokens(body.messages);
  const reply = await loadReply(fault.reply ?? (await plainReply(body, fault)));
  const { tokens, seed } = fault;
  const pieces = reply({ ...body, promptTokens, text: prompt, tokens, seed });
  return scriptedCompletion({
    ...body,
    id,
    promptTokens,
    pieces: fault.hostile === true ? joined(hostileLines(), pieces) : pieces,
  });
}

/** The fields of the contract that the client sent, without the `[sandbox …]` groups of all prompts. */
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

async function openEngine(engine: Engine, job: CompletionJob, id: string): Promise<Completion> {
  const { exchange, body } = job;
  const request = engineRequest(body);
  return engineCompletion(engine(request, exchange.signal), {
    id,
    model: body.model,
    promptTokens: countPromptTokens(request.messages),
    prelude: exchange.fault.hostile === true ? hostileLines() : [],
  });
}

/**
 * Starts an answer: that of the engine, if there is one and the fault selects no reply.
 * @throws Failure of a kind in the contract if the engine cannot answer
 */
export async function openCompletion(job: CompletionJob): Promise<OpenedCompletion> {
  const { exchange, body, engine, latency } = job;
  const { fault } = exchange;
  const id = `${sandboxIdStart}${exchange.number}`;
  const hasReply = fault.reply !== undefined || fault.tokens !== undefined;
  if (engine !== undefined && !hasReply) {
    return { completion: await openEngine(engine, job, id), latency: 0 };
  }
  return { completion: await openScripted(job, id), latency: latency[body.model] ?? 0 };
}
