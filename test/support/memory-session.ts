import { setTimeout as sleep } from 'node:timers/promises';
import { changedParams } from '../../src/ask/plan-request.ts';
import { fallbackModels } from '../../src/ask/fallback.ts';
import type { Client } from '../../src/client/client.ts';
import type { CompletionRequest } from '../../src/client/contract.ts';
import type { ChatEvent } from '../../src/client/events.ts';
import type { ChatOptions } from '../../src/commands/chat/run.ts';
import { createJournal } from '../../src/conversation/journal/journal.ts';
import { pathOf } from '../../src/conversation/tree.ts';
import { Failure } from '../../src/failure.ts';
import type { ReplLibrary } from '../../src/repl/conversations/library.ts';
import { createSession } from '../../src/repl/create-session.ts';
import type { ReplFiles } from '../../src/repl/files/user-files.ts';
import type { ReplService } from '../../src/repl/service.ts';
import type { Context, Run } from '../../src/run.ts';
import type { Repl, Screen } from '../../src/repl/session.ts';
import type { ReplState, SessionSettings } from '../../src/repl/state.ts';
import { lineFormat } from '../../src/repl/line-mode/run-line-mode.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { plainStyle } from '../../src/terminal/style.ts';
import { storedWith } from '../settings/fixtures/stored.ts';
import type { FakeClock } from './fake-clock.ts';
import { createMemoryContext, createMemoryDevice } from './memory-context.ts';
import { lineEntered, stateOf, type StateChange, typed } from './repl-state.ts';
import { storedList } from './conversation-lists.ts';
import { folderOf } from './folder.ts';

/** Files by their names: `missing…` cannot be read, `typo…` does not exist, `old…` exists. */
const memoryFiles = (calls: string[]): ReplFiles => ({
  async attach(path) {
    if (path.includes('missing')) throw new Failure('usage', `cannot attach ${path}`);
    const names = path.endsWith('/') ? [`${path}a.md`, `${path}b.md`] : [path];
    const files = names.map((name) => ({ name, content: `content of ${name}` }));
    const summary = names.length === 1 ? undefined : `attached ${path}: 2 files`;
    return { files, summary };
  },
  kindOf(path) {
    if (/typo|heer/.test(path)) return undefined;
    if (path.startsWith('https:')) return 'page';
    if (path.includes('*')) return 'pattern';
    if (/^(?:docs|docs\/sub|\/|.+\/)$/.test(path)) return 'folder';
    return path.endsWith('.md') ? 'file' : undefined;
  },
  paths: async () => ({
    paths: ['notes.md', 'src/notes.ts'].map((path) => ({ path, isFolder: false })),
    isPartial: false,
  }),
  candidates: (folder) => [{ value: `in-${folder || 'here'}.md` }],
  write(path, text, { isPrivate = false, replaces = false } = {}) {
    if (path.startsWith('old') && !replaces) return undefined;
    calls.push(isPrivate ? `write privately ${path}` : `write ${path}: ${text}`);
    return `/home/${path}`;
  },
});

/** A service's response to one request. */
export type Reply = (
  request: CompletionRequest,
  signal: AbortSignal | undefined,
) => AsyncIterable<ChatEvent>;

export const received = (text: string): ChatEvent => ({
  type: 'text-received',
  text,
  deltas: [text],
});

/** These events, then the end of the answer, with changes to it, or a failure in its place. */
export function replying(
  events: readonly ChatEvent[],
  end: Failure | Partial<ChatEvent & { type: 'answer-finished' }> = {},
): Reply {
  return async function* reply() {
    yield { type: 'answer-started', attempt: 1 };
    yield* events;
    if (end instanceof Failure) throw end;
    const timing = { total: 10 };
    yield { type: 'answer-finished', finishReason: 'stop', attempts: 1, timing, ...end };
  };
}

/** A complete answer of these texts. */
export const saying = (...texts: readonly string[]): Reply => replying(texts.map(received));

/** Texts, then no data until the request is aborted. */
export function hanging(...texts: readonly string[]): Reply {
  return async function* reply(_request, signal) {
    yield* texts.map(received);
    await new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };
}

/** Texts, then a failure. */
export const failing = (failure: Failure, ...texts: readonly string[]): Reply =>
  replying(texts.map(received), failure);

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

/** A configuration with the role `critic`, and the prompt files `review` and `grade`, whose answer is 1. */
const configuration = folderOf({
  'roles/critic.md': 'be strict',
  'prompts/review.md': `---
system: be careful
variables:
  lang: { description: language, choices: [ts, js], default: ts }
  focus:
---
review {{lang}} for {{focus}}: $ARGUMENTS`,
  'prompts/grade.md': '---\nschema: { const: 1 }\n---\ngrade it',
});

const settingsOf = ({ settings }: Run, { model, maxTokens, parameters }: SessionSettings) => ({
  ...settings,
  values: { ...settings.values, model, maxTokens },
  params: changedParams(settings.params, parameters),
});

const serviceOf = (run: Run, client: Client, calls: string[]): ReplService => ({
  current: () => ({
    client,
    unmetered: client,
    clientFor: () => client,
    clientOf: async () => client,
    windows: () => new Map(),
    clock: run.context.clock,
    baseUrl: 'https://api.example.com',
    isSandbox: false,
    close: async () => undefined,
  }),
  settingsOf: (session) => settingsOf(run, session),
  models: (session) => fallbackModels({ ...run, settings: settingsOf(run, session) }),
  facts: () => ({ address: 'https://api.example.com', isSandbox: false, hasKey: true }),
  async connect(address, key) {
    if (key === 'wrong') throw new Failure('unauthorized', 'the key was refused');
    calls.push(`connect ${address} ${key ?? 'without'}`);
    const service = { address, isSandbox: false, hasKey: true };
    return { service, isStored: true };
  },
  keyRenewal: () => undefined,
  findServers: async () => [{ name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] }],
  inspect: (files) => ({ files }),
  restore: (events) => events,
  restoreText: (text) => text,
  close: async () => undefined,
});

const libraryOf = (clock: FakeClock): ReplLibrary => ({
  create: () => createJournal(journalOptions(clock)),
  find(name) {
    if (name === 'nothing') throw new Failure('not_found', `there is no conversation "${name}"`);
    return name === 'about' ? undefined : name;
  },
  resume: (id) => new Failure('storage', `conversation ${id} is open in another natter`),
  branch: () => createJournal(journalOptions(clock)),
  ...storedList,
  names: () => [{ value: 'abcd2345', summary: 'Tea' }],
});

const replOptions: ChatOptions = { color: 'never', input: true, stream: true, stdin: true };

function replOf(context: Context, client: Client, clock: FakeClock, calls: string[]): Repl {
  const silent = () => undefined;
  const run: Run<ChatOptions> = {
    context,
    options: replOptions,
    presentation: {
      notices: { notice: (text) => void calls.push(`notice ${text}`), warning: silent },
      debugLog: silent,
      style: plainStyle,
      noticeStyle: plainStyle,
      animated: false,
      drawsOutput: false,
      isSpoken: false,
      unicode: true,
      opensLinks: false,
      colors: { background: undefined, hasMany: false },
    },
    settings: resolveSettings({
      flags: {},
      environment: context.environment,
      stored: storedWith({}),
    }),
  };
  return {
    ...run,
    isLineMode: false,
    service: serviceOf(run, client, calls),
    library: libraryOf(clock),
    files: memoryFiles(calls),
    memory: {
      history: () => [],
      remember: (text) => void calls.push(`remember ${text}`),
      takeDraft: () => '',
      keepDraft: (text) => void calls.push(`draft ${text}`),
      close: silent,
    },
  };
}

/** It is masked. */
export const secretWord = 'secret-word';

/** Changes to the default session. */
export interface MemoryOptions {
  readonly replies?: readonly Reply[];
  readonly repl?: (usual: Repl) => Repl;
  readonly environment?: Readonly<Record<string, string>>;
  readonly screen?: Partial<Screen>;
  readonly call?: Parameters<typeof createSession>[0]['call'];
  readonly state?: Partial<ReplState>;
  /** The folder of its journal; by default it is not saved. */
  readonly folder?: string;
}

export type MemorySession = ReturnType<typeof openMemorySession>;

export function createMemorySession(...replies: Reply[]): MemorySession {
  return openMemorySession({ replies });
}

export function openMemorySession(options: MemoryOptions) {
  const calls: string[] = [];
  const requests: CompletionRequest[] = [];
  const written: string[] = [];
  const environment = { NATTER_CONFIG_DIR: configuration, ...options.environment };
  const { context, clock } = createMemoryContext({ environment });
  context.secrets.keep({ apiKey: secretWord });
  const { device } = createMemoryDevice();
  const writing = { ...device, writeNow: (text: string) => void calls.push(text) };
  const client = createClient([...(options.replies ?? [])], requests);
  const usual = replOf({ ...context, device: writing }, client, clock, calls);
  const repl = options.repl?.(usual) ?? usual;
  const journal = createJournal(journalOptions(clock, options.folder));
  const screen: Screen = {
    write: (text) => void written.push(text),
    show: () => undefined,
    redraw: () => void calls.push('redraw'),
    scrollAway: () => void calls.push('scroll away'),
    lend: (use) => use(),
    suspend: () => void calls.push('suspend'),
    close: async () => void calls.push('close'),
    ...options.screen,
  };
  const format = {
    ...lineFormat(() => Number.POSITIVE_INFINITY),
    prompt: ({ text }: { readonly text: string }) => `You: ${text}\n`,
  };
  const session = createSession({
    repl,
    screen,
    journal,
    state: stateOf({ conversation: journal.conversation(), ...options.state }),
    format: () => format,
    ...(options.call && { call: options.call }),
  });
  const enter = (text: string) => session.update(lineEntered(text, clock.monotonic()));
  /** Resolves when the session has no activity. */
  const idle = async () => {
    const end = Date.now() + 60_000;
    for (;;) {
      // Long enough for an activity of several steps to begin the next one.
      await sleep(5);
      if (session.state().activity === undefined) return session.state();
      if (Date.now() > end) throw new Error('the session never became idle');
    }
  };
  /** Types texts and presses keys, and resolves when the session has no activity. */
  const press = (...keys: readonly (string | StateChange)[]) => {
    for (const key of keys) session.update(typeof key === 'string' ? typed(key) : key);
    return idle();
  };
  /** Enters lines, each when the session has no activity, and resolves when it has none again. */
  const submit = async (...lines: readonly string[]) => {
    for (const line of lines) {
      enter(line);
      await idle();
    }
    return session.state();
  };
  const text = () => written.join('');
  /** The texts of the messages of the last request. */
  const sent = () => requests.at(-1)?.messages.map(({ content }) => content) ?? [];
  const path = () => pathOf(session.state().conversation);
  return { session, clock, requests, calls, text, sent, path, enter, idle, press, submit };
}
