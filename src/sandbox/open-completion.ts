import { type CompletionRequest, sandboxIdStart } from '../client/contract.ts';
import type { Completion } from './answers/completion.ts';
import type { CompletionBody } from './completion-body.ts';
import { engineCompletion } from './engine.ts';
import type { Exchange, SandboxState } from './exchange.ts';
import { withoutGroup } from './faults/directive.ts';
import type { Fault } from './faults/fault-fields.ts';
import { defaultReply } from './replies/default-reply.ts';
import { codeReply, markdownReply, tablesReply, unicodeReply } from './replies/fixed-replies.ts';
import { helpReply } from './replies/help-reply.ts';
import { hostileLines, hostileReply } from './replies/hostile-reply.ts';
import { millionReply, proseReply } from './replies/prose-reply.ts';
import type { Reply, ReplyName } from './replies/reply.ts';
import { fencedReply, misfitReply, sampleReply, schemaIn } from './replies/sample-reply.ts';
import { countPromptTokens, tokensOf } from './token-counter.ts';

const pieceLength = 4096;

const echoReply: Reply = function* echo({ text }) {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(start, start + pieceLength);
  }
};

export const replies: Readonly<Record<ReplyName, Reply>> = {
  default: defaultReply,
  help: helpReply,
  echo: echoReply,
  tokens: proseReply,
  million: millionReply,
  markdown: markdownReply,
  code: codeReply,
  tables: tablesReply,
  unicode: unicodeReply,
  sample: sampleReply,
  fenced: fencedReply,
  misfit: misfitReply,
  hostile: hostileReply,
};

/** The reply if the fault names none. */
function plainReply({ messages }: CompletionBody, { tokens }: Fault): ReplyName {
  if (tokens !== undefined) return 'tokens';
  return schemaIn(messages) === undefined ? 'default' : 'sample';
}

/** Streams a reply of the sandbox token by token, up to `maxTokens`. */
function openReply(id: string, body: CompletionBody, prompt: string, fault: Fault): Completion {
  const { tokens, seed } = fault;
  const { model, messages, maxTokens = Infinity } = body;
  const promptTokens = countPromptTokens(messages);
  const reply = replies[fault.reply ?? plainReply(body, fault)];
  const pieces = reply({ ...body, promptTokens, text: prompt, tokens, seed });
  let completionTokens = 0;
  let finishReason = 'stop';

  function* allPieces(): Generator<string, void, undefined> {
    if (fault.hostile === true) yield* hostileLines();
    yield* pieces;
  }

  function* takeTokens(): Generator<string, void, undefined> {
    for (const token of tokensOf(allPieces())) {
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
    deltas: takeTokens(),
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

/**
 * Starts an answer: that of the engine, if there is one and the fault selects no reply.
 * @param prompt the last user message without its `[sandbox …]` group
 * @returns the answer, and the milliseconds from the request's arrival to its first token
 * @throws Failure of a kind in the contract if the engine cannot answer
 */
export async function openCompletion(
  exchange: Exchange,
  { engine, latency }: SandboxState,
  body: CompletionBody,
  prompt: string,
): Promise<{ readonly completion: Completion; readonly latency: number }> {
  const { fault, signal } = exchange;
  const id = `${sandboxIdStart}${exchange.number}`;
  const hasReply = fault.reply !== undefined || fault.tokens !== undefined;
  if (engine === undefined || hasReply) {
    return { completion: openReply(id, body, prompt, fault), latency: latency[body.model] ?? 0 };
  }
  const request = engineRequest(body);
  const completion = await engineCompletion(engine(request, signal), {
    id,
    model: body.model,
    promptTokens: countPromptTokens(request.messages),
    prelude: fault.hostile === true ? hostileLines() : [],
  });
  return { completion, latency: 0 };
}
