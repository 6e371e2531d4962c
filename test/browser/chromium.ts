import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { folderOf } from '../support/folder.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** The installed Chromium, or CHROME_PATH; undefined without one. */
export function findChromium(): string | undefined {
  const given = process.env['CHROME_PATH'];
  return (given === undefined ? names : [given]).find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
}

type Json = Record<string, unknown>;

/** An answer to the request with its id, or an event of a tab. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** What is kept of a tab: dialogs, and messages of the console and of the policy. */
const keptEvents = /^(?:Page\.javascriptDialogOpening|Runtime\.exceptionThrown|Log\.entryAdded)$/;

/** A headless Chromium, driven by the DevTools protocol over pipes: messages are JSON, each with a NUL at its end. */
export function startChromium(path: string) {
  const profile = folderOf();
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'];
  const child = spawn(path, [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const [, , , input, output] = child.stdio as unknown as [0, 0, 0, Writable, Readable];
  const messages = new EventEmitter();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const message of parts.map((part) => JSON.parse(part) as Message)) {
      messages.emit(String(message.id ?? message.sessionId), message);
    }
  });

  async function send(method: string, params: Json = {}, sessionId?: string): Promise<Json> {
    last += 1;
    const answered = once(messages, String(last)) as Promise<[Message]>;
    input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    const [{ result = {}, error }] = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  return {
    /** Opens a tab, with these media features. @param source a script that runs before those of each page */
    async open(media: Readonly<Record<string, string>> = {}, source = '') {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const attached = await send('Target.attachToTarget', { targetId, flatten: true });
      const sessionId = attached['sessionId'] as string;
      const inTab = (method: string, params?: Json) => send(method, params, sessionId);
      /** The requests so far, except for the page. */
      const requests: string[] = [];
      const events: string[] = [];
      let page = '';
      messages.on(sessionId, ({ method = '', params = {} }: Message) => {
        if (method === 'Page.loadEventFired') messages.emit('loaded');
        const { url } = (params['request'] ?? {}) as { readonly url?: string };
        if (method === 'Network.requestWillBeSent' && url !== page) requests.push(String(url));
        if (keptEvents.test(method)) events.push(`${method} ${JSON.stringify(params)}`);
      });
      for (const domain of ['Page', 'Network', 'Runtime', 'Log', 'Performance']) {
        await inTab(`${domain}.enable`);
      }
      const { type = 'screen', ...others } = media;
      const features = Object.entries(others).map(([name, value]) => ({ name, value }));
      await inTab('Emulation.setEmulatedMedia', { media: type, features });
      await inTab('Page.addScriptToEvaluateOnNewDocument', { source });
      /** The value of an expression, as JSON. */
      async function evaluate<Value>(expression: string): Promise<Value> {
        const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
        const { result } = await inTab('Runtime.evaluate', options);
        return (result as { value: Value }).value;
      }
      return {
        send: inTab,
        requests,
        events,
        evaluate,
        /** Loads a page. @returns milliseconds until it was loaded and drawn */
        async load(url: string): Promise<number> {
          page = url;
          const loaded = once(messages, 'loaded');
          const start = performance.now();
          await inTab('Page.navigate', { url });
          await loaded;
          await evaluate('document.body.getBoundingClientRect().height');
          return performance.now() - start;
        },
      };
    },
    /** Resolves when its processes have ended. */
    async close(): Promise<void> {
      const exited = once(child, 'exit');
      await send('Browser.close');
      await exited;
    },
  };
}
