import type { ChatOptions, Client } from '../../client/client.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { AnswerFinished, ChatEvent } from '../../client/events.ts';
import type { Clock } from '../../clock.ts';
import { countCharacters, type CharacterCount } from '../../conversation/token-estimate.ts';
import type { DebugLog } from '../print/presentation.ts';
import type { Notices } from '../../output/notices.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';

/** What sends the requests of a service. */
export interface UsageSource {
  /** As in `LedgerLine`. */
  readonly command: string;
  /** The id of the saved conversation; undefined without one. */
  readonly conversation?: () => string | undefined;
  /** The id of a run of a batch. */
  readonly batch?: string;
}

/** The source of each run; services that a fallback or a new key opens have the same. */
const usageSources = new WeakMap<object, UsageSource>();

/** Names what the run sends, before its services are opened. */
export function nameUsage(context: Context, source: UsageSource): void {
  usageSources.set(context, source);
}

export interface MeterSources {
  readonly context: FolderFacts & Pick<Context, 'clock' | 'secrets' | 'process'>;
  readonly notices: Notices;
  readonly log: DebugLog;
  readonly settings: ResolvedSettings;
  readonly source: UsageSource;
}

/** A request while it runs. */
export interface MeteredRequest {
  readonly request: CompletionRequest;
  /** Monotonic time at which it began. */
  readonly start: number;
  /** The caller waits after a 429 and sends the request again itself. */
  readonly isThrottled: boolean;
  /** Of the answer, with reasoning. */
  readonly received: CharacterCount;
  /** Attempts so far. */
  attempts: number;
  /** Whether the service read the prompt. */
  isAccepted: boolean;
  finished?: AnswerFinished;
}

/** The error of a request that its caller stopped. */
export const stopped = Symbol('stopped');

/** Sees the end of each request. */
export interface UsageMeter {
  /** Waits until the request fits the budget. @throws Failure `budget` if it may never fit */
  admit(request: CompletionRequest): Promise<void> | undefined;
  /** The event, with an estimate if the service seems to have cut the prompt. */
  finish(request: MeteredRequest, event: AnswerFinished): AnswerFinished;
  /** @param error undefined for an answer; {@link stopped}; or what was thrown */
  end(request: MeteredRequest, error: unknown): void;
  /** Sends a prompt as {@link Client.send}. */
  send(send: Send, words: Parameters<Send>): Promise<void>;
  /** Writes what is not written yet. */
  close(): void;
}

interface Metering {
  readonly clock: Clock;
  readonly hasBudget: boolean;
  /** Loads the meter at the end of the first request; undefined if its file is missing. */
  readonly load: () => Promise<UsageMeter | undefined>;
}

export function beginRequest(
  { monotonic }: Pick<Clock, 'monotonic'>,
  request: CompletionRequest,
  options?: ChatOptions,
): MeteredRequest {
  const received = { ascii: 0, other: 0 };
  const isThrottled = options?.throttle !== undefined;
  return { request, start: monotonic(), isThrottled, received, attempts: 1, isAccepted: false };
}

export function watchEvent(seen: MeteredRequest, event: ChatEvent): void {
  const { type } = event;
  if (type === 'text-received' || type === 'reasoning-received') {
    countCharacters(event.text, seen.received);
  } else if (type === 'answer-started') {
    seen.isAccepted = true;
    seen.attempts = event.attempt;
  } else if (type === 'answer-finished') seen.finished = event;
}

export type Send = NonNullable<Client['send']>;

async function* meterChat(
  client: Client,
  { clock, load, hasBudget }: Metering,
  request: CompletionRequest,
  options?: ChatOptions,
): AsyncGenerator<ChatEvent, void> {
  if (hasBudget) await (await load())?.admit(request);
  const seen = beginRequest(clock, request, options);
  let error: unknown = stopped;
  try {
    for await (const event of client.chat(request, options)) {
      watchEvent(seen, event);
      yield event.type === 'answer-finished'
        ? ((await load())?.finish(seen, event) ?? event)
        : event;
    }
    error = undefined;
  } catch (thrown) {
    error = options?.signal?.aborted === true ? stopped : thrown;
    throw thrown;
  } finally {
    (await load())?.end(seen, error);
  }
}

interface MeteredRun extends Pick<MeterSources, 'notices' | 'log' | 'settings'> {
  readonly context: Context;
}

interface MeteredService {
  readonly client: Client;
  readonly clock: Clock;
  readonly isSandbox: boolean;
  close(): Promise<void>;
}

/** The service, with a meter that sees the end of each prompt. */
export function meterService<Service extends MeteredService>(
  service: Service,
  { context, notices, log, settings }: MeteredRun,
): Service {
  const { client, clock, isSandbox } = service;
  const source = usageSources.get(context) ?? { command: 'chat' };
  const sources = { context, notices, log, settings, source };
  const { send } = client;
  const hasBudget = settings.values.budget !== undefined;
  const onMissing = (error: unknown) => {
    if (hasBudget) throw error;
    notices.warning('not in the ledger: natter was updated while it was running');
    return undefined;
  };
  let loading: Promise<UsageMeter | undefined> | undefined;
  let loaded: UsageMeter | undefined;
  const load = () =>
    (loading ??= import('./usage-meter.ts').then(
      ({ createUsageMeter }) => (loaded = createUsageMeter(sources, isSandbox)),
      onMissing,
    ));
  const sendFirst = async (next: Send, words: Parameters<Send>): Promise<void> =>
    (await load())?.send(next, words) ?? next(...words);
  return {
    ...service,
    unmetered: client,
    client: {
      ...client,
      chat: (...words) => meterChat(client, { clock, load, hasBudget }, ...words),
      ...(send !== undefined && {
        // Without waiting for the meter again, for the many requests of a batch.
        send: (...words) => loaded?.send(send, words) ?? sendFirst(send, words),
      }),
    },
    async close() {
      (await loading)?.close();
      await service.close();
    },
  };
}
