import { fallbackModels } from '../ask/fallback.ts';
import { planRequest, changedParams } from '../ask/plan-request.ts';
import type { Message } from '../client/contract.ts';
import { createClient } from '../client/create-client.ts';
import { checkApi, findApi } from '../commands/auth/run.ts';
import type { ChatOptions } from '../commands/chat/chat-run.ts';
import type { Run } from '../run.ts';
import { serviceKey } from '../ask/key-command.ts';
import { openService, clientOptions } from '../ask/service.ts';
import { readSettings } from '../settings/read-settings.ts';
import { changeStored } from '../settings/settings-file.ts';
import { saveService } from '../settings/profiles.ts';
import { withKey, withoutSources, type ResolvedSettings } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';
import type { UsageSource } from '../usage/budget.ts';
import type { ServiceFacts, SessionSettings } from './state.ts';

function withSession(
  settings: ResolvedSettings,
  { model, maxTokens, parameters }: SessionSettings,
): ResolvedSettings {
  const values = { ...settings.values, model, maxTokens };
  return { ...settings, values, params: changedParams(settings.params, parameters) };
}

/** A run with a different service, without secrets and parameters of the current one. */
function runWith(run: Run<ChatOptions>, baseUrl: string, key: string | undefined) {
  const { context, presentation } = run;
  const { sandbox: _sandbox, ...options } = run.options;
  const stored = readSettings(context, presentation.notices, options, {
    ...options,
    params: {},
    baseUrl,
  });
  // The user can correct an invalid key, as after a refusal by the service.
  const value = key && parseApiKey(key, 'the API key', 'unauthorized');
  context.secrets.keep({ apiKey: value });
  const source = { kind: 'flag', name: 'entered' } as const;
  const entered = value === undefined ? undefined : { value, source };
  return { ...run, options, settings: withKey(stored, entered) };
}

/** A service in use. */
export interface Connected {
  readonly service: ServiceFacts;
  /** The next start uses it. */
  readonly isStored: boolean;
}

/** The service of a conversation, which `connect` can replace. Without a configured one it is the sandbox. */
export async function openReplService(run: Run<ChatOptions>, source: UsageSource) {
  const { context, options } = run;
  let { settings } = run;
  const sandbox = options.sandbox === true || settings.values.baseUrl === undefined;
  const opening = sandbox ? { ...options, sandbox } : options;
  // Reports a bad fallback before anything is typed.
  fallbackModels({ ...run, options: opening });
  let service = await openService({ ...run, options: opening }, source);
  const facts = (): ServiceFacts => {
    const { baseUrl, isSandbox, replayedFrom } = service;
    const hasKey = isSandbox || settings.apiKey !== undefined;
    const known = { isSandbox, hasKey, windows: service.windows() };
    if (replayedFrom !== undefined) return { ...known, address: replayedFrom, isReplay: true };
    return { ...known, address: isSandbox ? 'the sandbox' : baseUrl };
  };
  const served = (session: SessionSettings) => ({
    ...withSession(settings, session),
    windows: service.windows(),
  });
  return {
    client: () => service.client,
    /** See {@link Service.clientFor}. */
    clientFor: (command: string) => service.clientFor(command),
    facts,
    /**
     * A request, and a warning to print before it is sent.
     * @param promptTokens of the messages, if more is known than an estimate
     * @throws Failure of kind `invalid_request` if the prompt cannot fit the window
     */
    plan(messages: readonly Message[], session: SessionSettings, promptTokens?: number) {
      return planRequest(served(session), messages, options.stream, '/model', promptTokens);
    },
    /** The model of the session and those of `fallback`. @throws Failure for a bad fallback */
    models(session: SessionSettings) {
      const usual = { ...options, sandbox: service.isSandbox };
      return fallbackModels({ ...run, options: usual, settings: served(session) });
    },
    /** See {@link Service.clientOf}. */
    clientOf: (wanted: ResolvedSettings) => service.clientOf(wanted),
    /** The windows of the service's models, as far as it reported them. */
    windows: () => service.windows(),
    /** The fields of the next request's body besides the usual ones. */
    parameters: (session: SessionSettings) => withoutSources(withSession(settings, session).params),
    /** Checks an address and a key, stores them and switches to them. @throws Failure */
    async connect(
      address: string,
      key: string | undefined,
      signal: AbortSignal,
    ): Promise<Connected> {
      const old = service;
      if (old.replayedFrom !== undefined) {
        // The replay accepts any key; nothing is stored.
        context.secrets.keep({ apiKey: key });
        await checkApi(old, false, signal);
        return { service: facts(), isStored: false };
      }
      const baseUrl = address === facts().address ? old.baseUrl : address;
      // Only the key of the sandbox changes.
      const keepsSandbox = old.isSandbox && old.baseUrl === baseUrl;
      const entered = runWith(run, baseUrl, key);
      const { apiPath } = await findApi({ ...entered, context: { ...context, signal } });
      const found = apiPath === undefined ? {} : { apiPath };
      const values = { ...entered.settings.values, ...found };
      const next = { ...entered, settings: { ...entered.settings, values } };
      if (!keepsSandbox) {
        const { apiKey, profile } = next.settings;
        const saved = { apiKey: apiKey?.value, baseUrl, apiPath: values.apiPath };
        await changeStored(context, (before) => saveService(before, profile.value, saved));
        await old.close();
      }
      const opened = await openService(next, source);
      const closeBoth = async () => {
        await opened.close();
        await old.close();
      };
      const clientOf = async () => opened.client;
      service = keepsSandbox ? { ...opened, isSandbox: true, clientOf, close: closeBoth } : opened;
      settings = { ...next.settings, params: settings.params };
      return { service: facts(), isStored: !keepsSandbox };
    },
    /**
     * Gets a rejected key again from a password manager's command, which may use the terminal; undefined if no command
     * printed the key. The function returns whether the key is a different one, and throws Failure.
     */
    keyRenewal(): (() => Promise<boolean>) | undefined {
      const { apiKeyCommand } = settings;
      const isOwnService = !service.isSandbox && service.replayedFrom === undefined;
      if (apiKeyCommand === undefined || !isOwnService) return undefined;
      return async () => {
        const current = { ...run, settings };
        const rejected = await serviceKey(current);
        context.shared.printedKeys.delete(apiKeyCommand.value);
        if ((await serviceKey(current)) === rejected) return false;
        const old = service;
        service = await openService(current, source);
        await old.close();
        return true;
      };
    },
    findServers: (signal: AbortSignal) => findLocalServers({ ...run, settings }, signal),
    close: () => service.close(),
  };
}

export type ReplService = Awaited<ReturnType<typeof openReplService>>;

/** A local server that answered the probe. */
export interface FoundServer {
  /** Product name, such as `Ollama`. */
  readonly name: string;
  readonly url: string;
  readonly models: readonly string[];
}

/** Programs that serve models on this machine, and their default ports. */
const defaultServers: readonly { readonly name: string; readonly port: number }[] = [
  { name: 'llama.cpp', port: 8080 },
  { name: 'Ollama', port: 11_434 },
  { name: 'vLLM', port: 8000 },
  { name: 'LM Studio', port: 1234 },
];

/** Milliseconds. */
const timeLimit = 1500;

/** Sends neither the key nor the headers of the profile, because any program may listen on these ports. */
export async function findLocalServers(
  run: Run,
  signal: AbortSignal,
  servers = defaultServers,
): Promise<readonly FoundServer[]> {
  const limits = { retries: 0, connectTimeout: timeLimit, totalTimeout: timeLimit } as const;
  const withoutHeaders = { ...run, settings: { ...run.settings, headers: {} } };
  const find = async ({ name, port }: (typeof servers)[number]) => {
    const url = `http://127.0.0.1:${port}`;
    const target = { baseUrl: url, apiKey: undefined };
    const client = createClient({ ...clientOptions(withoutHeaders, target), ...limits });
    try {
      const records = await client.listModels({ signal });
      return [{ name, url, models: records.map(({ id }) => id) }];
    } catch (error) {
      if (signal.aborted) throw error;
      return [];
    } finally {
      client.close();
    }
  };
  return (await Promise.all(servers.map(find))).flat();
}
