import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** The installed Chromium, or CHROME_PATH; undefined without one. */
export function findChromium(): string | undefined {
  const given = process.env['CHROME_PATH'];
  return (given === undefined ? names : [given]).find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
}

type Json = Record<string, unknown>;
type Listener = (method: string, params: Json) => void;

/** A headless Chromium, driven by the DevTools protocol over pipes. */
export interface Browser {
  /** A new tab, with these media features. */
  open(media?: Readonly<Record<string, string>>): Promise<Tab>;
  /** Resolves when its processes have ended. */
  close(): Promise<void>;
}

export interface Tab {
  send(method: string, params?: Json): Promise<Json>;
  /** Loads a page. @returns milliseconds until it was loaded and drawn */
  load(url: string): Promise<number>;
  /** The value of an expression, as JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** The requests so far, except for the page. */
  readonly requests: readonly string[];
  /** Dialogs, and messages of the console and of the policy. */
  readonly events: readonly string[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** Messages are JSON, each with a NUL at its end. */
function connect(child: ChildProcess) {
  const [, , , input, output] = child.stdio as unknown as [0, 0, 0, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, Listener>();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      else listeners.get(message.sessionId ?? '')?.(message.method ?? '', message.params ?? {});
    }
  });
  const send = (method: string, params: Json = {}, sessionId?: string): Promise<Json> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ result = {}, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`)),
      );
      input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
  return {
    send,
    listen: (sessionId: string, listener: Listener) => listeners.set(sessionId, listener),
  };
}

type Connection = ReturnType<typeof connect>;

async function openTab(
  { send, listen }: Connection,
  media: Readonly<Record<string, string>>,
): Promise<Tab> {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const attached = await send('Target.attachToTarget', { targetId, flatten: true });
  const sessionId = attached['sessionId'] as string;
  const inTab = (method: string, params?: Json) => send(method, params, sessionId);
  const requests: string[] = [];
  const events: string[] = [];
  let page = '';
  let loaded: () => void = () => undefined;
  listen(sessionId, (method, params) => {
    if (method === 'Page.loadEventFired') loaded();
    if (method === 'Network.requestWillBeSent') {
      const { url } = params['request'] as { url: string };
      if (url !== page) requests.push(url);
    }
    if (
      /^(?:Page\.javascriptDialogOpening|Runtime\.exceptionThrown|Log\.entryAdded)$/.test(method)
    ) {
      events.push(`${method} ${JSON.stringify(params)}`);
    }
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log', 'Performance']) {
    await inTab(`${domain}.enable`);
  }
  const { type = 'screen', ...others } = media;
  const features = Object.entries(others).map(([name, value]) => ({ name, value }));
  await inTab('Emulation.setEmulatedMedia', { media: type, features });
  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result } = await inTab('Runtime.evaluate', options);
    return (result as { value: Value }).value;
  };
  return {
    send: inTab,
    requests,
    events,
    evaluate,
    async load(url) {
      page = url;
      const done = new Promise<void>((resolve) => (loaded = resolve));
      const start = performance.now();
      await inTab('Page.navigate', { url });
      await done;
      await evaluate('document.body.getBoundingClientRect().height');
      return performance.now() - start;
    },
  };
}

export function startChromium(path: string): Browser {
  const profile = mkdtempSync(join(tmpdir(), 'natter-chromium-'));
  const child = spawn(
    path,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const connection = connect(child);
  return {
    open: (media = {}) => openTab(connection, media),
    async close() {
      const exited = once(child, 'exit');
      await connection.send('Browser.close');
      await exited;
    },
  };
}
