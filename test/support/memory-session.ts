import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import type { CompletionRequest } from '../../src/client/contract.ts';
import { createJournal } from '../../src/conversation/journal/open-journal.ts';
import { Failure } from '../../src/failure.ts';
import { effectRunners, type EffectRunners } from '../../src/repl/effects/run-effect.ts';
import { initialState } from '../../src/repl/state/initial-state.ts';
import { lineFormat } from '../../src/repl/text/line-format.ts';
import { listPort } from './conversation-lists.ts';
import { memoryFiles } from './memory-files.ts';
import { stateOf } from './repl-state.ts';
import type { Screen, SessionPorts } from '../../src/repl/session/ports.ts';
import { createSession, type Session } from '../../src/repl/session/session.ts';
import type { ReplState } from '../../src/repl/state/state.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { namedPrompts } from './named-prompts.ts';

/** A service's response to one request. */
export type Reply = (
  request: CompletionRequest,
  signal: AbortSignal | undefined,
) => AsyncIterable<ChatEvent>;

export interface MemorySession {
  readonly session: Session;
  readonly clock: FakeClock;
  readonly requests: readonly CompletionRequest[];
  /** The text written to the transcript. */
  readonly text: () => string;
  readonly calls: string[];
  readonly enter: (text: string) => void;
  /** Resolves when the session has no activity. */
  readonly idle: () => Promise<ReplState>;
}

/** A complete answer of these texts. */
export function saying(...texts: readonly string[]): Reply {
  return async function* reply() {
    yield { type: 'answer-started', attempt: 1 };
    for (const text of texts) yield { type: 'text-received', text, deltas: [text] };
    yield { type: 'answer-finished', finishReason: 'stop', attempts: 1, timing: { total: 10 } };
  };
}

/** Texts, then no data until the request is aborted. */
export function hanging(...texts: readonly string[]): Reply {
  return async function* reply(_request, signal) {
    for (const text of texts) yield { type: 'text-received', text, deltas: [text] };
    await new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };
}

/** Texts, then a failure. */
export function failing(failure: Failure, ...texts: readonly string[]): Reply {
  return async function* reply() {
    for (const text of texts) yield { type: 'text-received', text, deltas: [text] };
    throw failure;
  };
}

function createClient(replies: Reply[], requests: CompletionRequest[]): Client {
  return {
    chat(request, options) {
      requests.push(request);
      const reply = replies.shift() ?? saying('answer');
      return reply(request, options?.signal);
    },
    listModels: async () => [{ id: 'origin' }, { id: 'other' }],
    getModel: async (id) => ({ id }),
    close: () => undefined,
  };
}

const journalOptions = (clock: FakeClock, folder?: string) => ({
  folder,
  clock,
  random: Math.random,
  process: { id: 1, isRunning: () => false },
  version: '1.0.0',
  onWarning: () => undefined,
});

function portsOf(client: Client, clock: FakeClock, calls: string[]): SessionPorts {
  return {
    clock,
    clean: (text) => text.replaceAll('secret', '***'),
    service: {
      client: () => client,
      windows: () => new Map(),
      parameters: ({ parameters }) => parameters?.set ?? {},
      plan: (messages, { model, maxTokens, parameters }) => ({
        request: {
          model,
          messages,
          ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
          ...(parameters === undefined ? {} : { params: parameters.set }),
        },
        warning: undefined,
      }),
      async connect(address, key) {
        if (key === 'wrong') throw new Failure('unauthorized', 'the key was refused');
        calls.push(`connect ${address} ${key ?? 'without'}`);
        return { address, isSandbox: false, hasKey: true };
      },
      keyRenewal: () => undefined,
      findServers: async () => [
        { name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] },
      ],
      describeModels: (records) => records.map(({ id }) => id).join('\n'),
    },
    library: {
      create: () => createJournal(journalOptions(clock)),
      find(name) {
        if (name === 'nothing') {
          throw new Failure('not_found', `there is no conversation "${name}"`);
        }
        return name === 'about' ? undefined : name;
      },
      resume: (id) => {
        const message = `conversation ${id} is open in another natter`;
        return { isOpen: false, refusal: new Failure('storage', message) };
      },
      branch: () => createJournal(journalOptions(clock)),
      list: async () => listPort,
      describe: async (query) => `list ${query}`,
      names: () => [{ value: 'abcd2345', summary: 'Tea' }],
    },
    files: memoryFiles(calls),
    ...namedPrompts,
    guard: {
      inspect: async (files) => ({ files }),
      restore: (events) => events,
      restoreText: (text) => text,
    },
    shell: {
      async run(command, { onOutput }) {
        calls.push(`run ${command}`);
        if (command !== 'true') await onOutput(`output of ${command}\n`);
        return { code: command === 'false' ? 1 : 0, killedBy: undefined, isOpen: false };
      },
      mask: (text) => text.replaceAll('secret', '***'),
    },
    async copy(text) {
      calls.push(`copy ${text}`);
      return 'with pbcopy';
    },
    edit: async (text) => `${text} edited`,
    remember: (text) => void calls.push(`remember ${text}`),
    keepDraft: (text) => void calls.push(`draft ${text}`),
  };
}

/** Changes to the default session. */
export interface MemoryOptions {
  readonly replies?: readonly Reply[];
  readonly ports?: (ports: SessionPorts) => SessionPorts;
  readonly screen?: Partial<Screen>;
  readonly runners?: EffectRunners;
  readonly state?: Partial<ReplState>;
  /** The folder of its journal; by default it is not saved. */
  readonly folder?: string;
}

export function createMemorySession(...replies: Reply[]): MemorySession {
  return openMemorySession({ replies });
}

export function openMemorySession(options: MemoryOptions): MemorySession {
  const clock = createFakeClock();
  const calls: string[] = [];
  const requests: CompletionRequest[] = [];
  const written: string[] = [];
  const usual = portsOf(createClient([...(options.replies ?? [])], requests), clock, calls);
  const ports = options.ports?.(usual) ?? usual;
  const journal = createJournal(journalOptions(clock, options.folder));
  const screen: Screen = {
    write: (text) => void written.push(text),
    nextUpdate: () => undefined,
    show: () => undefined,
    redraw: () => void calls.push('redraw'),
    scrollAway: () => void calls.push('scroll away'),
    lend: (use) => use(),
    suspend: () => void calls.push('suspend'),
    close: async () => void calls.push('close'),
    ...options.screen,
  };
  const state = initialState({
    columns: 80,
    rows: 24,
    conversation: journal.conversation(),
    settings: stateOf().settings,
    service: { address: 'https://api.example.com', isSandbox: false, hasKey: true },
    now: 0,
  });
  const format = {
    ...lineFormat(() => Number.POSITIVE_INFINITY),
    prompt: (text: string) => `You: ${text}\n`,
  };
  const { runners = effectRunners } = options;
  const session = createSession({
    ports,
    screen,
    journal,
    state: { ...state, ...options.state },
    format: () => format,
    runners,
  });
  return {
    session,
    clock,
    requests,
    calls,
    text: () => written.join(''),
    enter: (text) => session.dispatch({ type: 'line-entered', text, now: clock.monotonic() }),
    async idle() {
      const end = Date.now() + 60_000;
      for (;;) {
        // Long enough for an activity of several steps to begin the next one.
        await sleep(5);
        if (session.state().activity === undefined) return session.state();
        if (Date.now() > end) throw new Error('the session never became idle');
      }
    },
  };
}
