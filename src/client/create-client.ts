import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import type { ChatOptions, Client, ClientOptions } from './client.ts';
import { configure, type Sender } from './configuration.ts';
import { completionBody, type CompletionRequest } from './contract.ts';
import type { ChatEvent } from './events.ts';
import { cutAnswer, noAnswer } from './failure/answer-failure.ts';
import { rephrase } from './failure/change-failure.ts';
import { requestIdOf, requireAccepted } from './failure/service-failure.ts';
import { watchIdle } from './http/timer.ts';
import { getModel, listModels } from './models/read-models.ts';
import { withRetries } from './retry.ts';
import { readAnswer } from './stream/answer-reader.ts';

/**
 * Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const configuration = configure(options);
  const network = options.network(configuration.route, configuration.limits, configuration.clock);
  const send = options.transport?.(network.send) ?? network.send;
  const closing = new AbortController();
  const sender: Sender = { ...configuration, send, closed: closing.signal };
  return {
    chat: (request, callOptions) => chat(sender, request, callOptions),
    listModels: (readOptions) => listModels(sender, readOptions),
    getModel: (id, readOptions) => getModel(sender, id, readOptions),
    close() {
      closing.abort(new Failure('unexpected', 'the client was closed'));
      network.close();
    },
  };
}

async function* chat(
  sender: Sender,
  completion: CompletionRequest,
  options: ChatOptions = {},
): AsyncGenerator<ChatEvent, void> {
  const { clock, mask } = sender;
  const { throttle } = options;
  const start = clock.monotonic();
  const request = sender.request('chat/completions', completionBody(completion));

  /**
   * Sends the request once, as attempt number `attempt` (from 1), and yields the events of its answer.
   * @throws Failure where a retry is safe, Failure `incomplete` after content was received or for an answer
   * without any, Failure `no_answer` after the end of a filtered answer, a tool call or a refusal; or the signal's
   * reason when the caller aborts.
   */
  async function* sendOnce(attempt: number, signal: AbortSignal): AsyncGenerator<ChatEvent, void> {
    if (throttle !== undefined) await throttle.beforeRequest();
    const response = await sender.send(request, signal);
    throttle?.onResponse(response);
    await requireAccepted(request, response, sender, signal);
    const requestId = requestIdOf(response.headers, mask);
    const watch = watchIdle(sender, response);
    const contentType = response.headers['content-type'];
    let firstText: number | undefined;
    let hasContent = false;
    let hasRefusal = false;
    let isBodyTaken = false;
    try {
      // The time that the caller spends on an event is not silence of the service.
      watch.stop();
      yield { type: 'answer-started', attempt, ...definedFields({ requestId }) };
      watch.touch();
      isBodyTaken = true;
      const parts = readAnswer(response.body, contentType, mask, () => watch.touch());
      for await (const part of parts) {
        // What was read before an abort is not delivered after it.
        signal.throwIfAborted();
        watch.stop();
        if (part.type === 'end') {
          const { id, model, finishReason, usage } = part;
          if (!part.complete) {
            const message =
              'the stream ended without a finish_reason or [DONE], so the service or a proxy cut it off';
            throw new Failure('server_error', message, { transient: true });
          }
          // A stream of `[DONE]` alone is not retried: the service may have billed an answer that got lost.
          if (!hasContent && !part.calledTools && finishReason === undefined) {
            const message =
              'the answer is incomplete: the service sent neither text nor a finish_reason';
            const hint = 'send the prompt again';
            throw new Failure('incomplete', message, { remedy: { code: 'send-again' }, hint });
          }
          yield {
            type: 'answer-finished',
            ...definedFields({ id, model, finishReason, usage }),
            attempts: attempt,
            timing: { ...definedFields({ firstText }), total: clock.monotonic() - start },
          };
          const failure = noAnswer(part, { text: firstText !== undefined, refusal: hasRefusal });
          if (failure !== undefined) throw failure;
          return;
        }
        if (part.type !== 'answer-named') hasContent = true;
        if (part.type === 'refusal-received') hasRefusal = true;
        if (part.type === 'text-received') firstText ??= clock.monotonic() - start;
        yield part;
        watch.touch();
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'no_answer') throw rephrase(error, { requestId });
      throw cutAnswer(error, hasContent, requestId);
    } finally {
      watch.stop();
      if (!isBodyTaken) response.destroy(new Error('the caller stopped reading the answer'));
    }
  }

  yield* withRetries(sender, options, sendOnce);
}
