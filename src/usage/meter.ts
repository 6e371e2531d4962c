import { existsSync } from 'node:fs';
import type { ChatOptions, Client } from '../client/client.ts';
import type { CompletionRequest, Usage } from '../client/contract.ts';
import type { AnswerFinished } from '../client/events.ts';
import {
  suspectTruncation,
  estimateMessages,
  tokensOfPiece,
} from '../conversation/token-estimate.ts';
import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import type { Run } from '../run.ts';
import { maskText } from '../secrets/secrets.ts';
import { resolveFolders } from '../settings/folders.ts';
import { costOf } from '../settings/prices.ts';
import { openBudget, type UsageSource } from './budget.ts';
import { appendToLedger, ledgerFolder, type LedgerLine, tokensOf } from './ledger.ts';

const longestModel = 200;

/** Estimates tokens that the service did not report. @param received the estimate of the answer, with reasoning */
function estimateOf({ messages }: CompletionRequest, usage: Usage | undefined, received: number) {
  const { prompt_tokens: input, completion_tokens: output } = usage ?? {};
  if (input !== undefined && output !== undefined) return undefined;
  return {
    prompt_tokens: input === undefined ? estimateMessages(messages) : undefined,
    completion_tokens: output === undefined ? Math.ceil(received) : undefined,
  };
}

/** Makes a client whose prompts keep the budget, and are in the ledger at their end. */
export function meterClient(client: Client, run: Run, source: UsageSource, isSandbox: boolean) {
  const { context, presentation, settings } = run;
  const { clock } = context;
  const { values } = settings;
  const { state } = resolveFolders(context);
  const isLimited = values.budget !== undefined || (source.limits?.length ?? 0) > 0;
  let hasFailed = false;
  let budget: ReturnType<typeof openBudget> | undefined;
  /** The last refusals of requests that their caller sends again: all attempts are one line. */
  const refused = new Map<CompletionRequest, LedgerLine>();

  /** The lines of requests that ended in this turn of the event loop. */
  let unwritten: LedgerLine[] = [];

  /** Requests that end in one turn are one write. With a limit, each is in the ledger before the next one is sent. */
  function add(line: LedgerLine): void {
    unwritten.push(line);
    if (isLimited) write();
    else if (unwritten.length === 1) setImmediate(write);
  }
  /**
   * Failed writes are one warning of the run. A place that has no ledger and cannot have one, such as a read-only home,
   * has nothing to lose, and a budget is refused there.
   */
  function write(): void {
    const lines = unwritten;
    unwritten = [];
    if (state === undefined) return;
    try {
      appendToLedger(state, lines);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!hasFailed && existsSync(ledgerFolder(state))) {
        const text = `not in the ledger: ${reason}; NATTER_LEDGER=false turns the ledger off`;
        presentation.notices.warning(text, 'storage');
      }
      hasFailed = true;
      for (const line of lines) budget?.keep(line);
    }
  }
  async function* send(from: UsageSource, request: CompletionRequest, how?: ChatOptions) {
    if (isLimited) {
      budget ??= openBudget(run, source, isSandbox);
      await budget.reserve(request);
    }
    const start = clock.monotonic();
    let [received, attempts, isAccepted] = [0, 1, false];
    let finished: AnswerFinished | undefined;
    let outcome = 'stopped';
    try {
      for await (const event of client.chat(request, how)) {
        const { type } = event;
        if (type === 'text-received' || type === 'reasoning-received') {
          received += tokensOfPiece(event.text);
        } else if (type === 'answer-started') [attempts, isAccepted] = [event.attempt, true];
        else if (type === 'retry-scheduled') attempts = event.retry;
        if (type !== 'answer-finished') {
          yield event;
          continue;
        }
        [finished, attempts] = [event, event.attempts];
        const counted = event.usage?.prompt_tokens;
        const estimatedPromptTokens =
          counted === undefined ? undefined : suspectTruncation(request.messages, counted);
        yield { ...event, ...definedFields({ estimatedPromptTokens }) };
      }
      outcome = 'answered';
    } catch (error) {
      if (how?.signal?.aborted !== true) {
        outcome = error instanceof Failure ? error.kind : 'unexpected';
        if (error instanceof Failure) attempts = error.attempts ?? attempts;
      }
      throw error;
    } finally {
      const { usage } = finished ?? {};
      const line: LedgerLine = {
        time: clock.date().toISOString(),
        command: from.command,
        profile: settings.profile.value,
        // A key that was typed as the model must not be stored.
        model: maskText(context.secrets, request.model).slice(0, longestModel),
        prompt_tokens: usage?.prompt_tokens ?? null,
        completion_tokens: usage?.completion_tokens ?? null,
        cached_tokens: usage?.cached_tokens,
        // A refused prompt was not read, and costs nothing.
        estimated: isAccepted ? estimateOf(request, usage, received) : undefined,
        ms: Math.round(finished?.timing.total ?? clock.monotonic() - start),
        outcome,
        attempts: attempts + (refused.get(request)?.attempts ?? 0),
        conversation: from.conversation?.() ?? null,
        batch: from.batch ?? null,
        sandbox: isSandbox ? true : undefined,
      };
      refused.delete(request);
      budget?.settle(request, line);
      const price = settings.prices.get(request.model);
      if (price !== undefined) {
        const before = source.costs?.get(price.currency) ?? 0;
        source.costs?.set(price.currency, before + costOf(price, tokensOf(line)));
      }
      const isSentAgain = how?.throttle !== undefined && line.outcome === 'rate_limited';
      if (values.ledger && isSentAgain) refused.set(request, line);
      else if (values.ledger) add(line);
    }
  }
  const metered = (from: UsageSource) =>
    ({ ...client, chat: (request, how) => send(from, request, how) }) satisfies Client;
  return {
    client: metered(source),
    /** A client for requests of a different command about the conversation that is open now. The budget is the same. */
    clientFor(command: string) {
      const id = source.conversation?.();
      return metered({ ...source, command, conversation: () => id });
    },
    /** Writes what is not written yet. */
    close(): void {
      unwritten.push(...refused.values());
      refused.clear();
      write();
    },
  };
}
