import { fallbackModels } from '../ask/fallback.ts';
import { changedParams } from '../ask/plan-request.ts';
import { createClient } from '../client/create-client.ts';
import { checkApi, findApi } from '../commands/auth/run.ts';
import type { ChatOptions } from '../commands/chat/run.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { describeSecrets, locateSecrets, openRedaction, planGuard } from '../input/secret-guard.ts';
import { definedFields } from '../json.ts';
import type { Run } from '../run.ts';
import { serviceKey } from '../ask/key-command.ts';
import { openService, clientOptions, type Service } from '../ask/service.ts';
import { readSettings } from '../settings/read-settings.ts';
import { changeStored } from '../settings/settings-file.ts';
import { saveService } from '../settings/profiles.ts';
import { withKey, withValues, type ResolvedSettings } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';
import type { UsageSource } from '../usage/budget.ts';
import type { ServiceFacts, SessionSettings } from './state.ts';

/** A run with a different service, without secrets and parameters of the current one. */
function runWith(run: Run<ChatOptions>, baseUrl: string, key: string | undefined) {
  const { context, presentation } = run;
  const { sandbox: _sandbox, ...options } = run.options;
  const flags = { ...options, params: {}, baseUrl };
  const stored = readSettings(context, presentation.notices, options, flags);
  // The user can correct an invalid key, as after a refusal by the service.
  const value = key && parseApiKey(key, 'the API key', 'unauthorized');
  context.secrets.keep({ apiKey: value });
  const source = { kind: 'flag', name: 'entered' } as const;
  const entered = value === undefined ? undefined : { value, source };
  return { ...run, options, settings: withKey(stored, entered) };
}

/**
 * The service of a conversation, which `connect` can replace. Without a configured one it is the sandbox. It keeps secrets
 * in files on this machine.
 */
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
    const address = replayedFrom ?? (isSandbox ? 'the sandbox' : baseUrl);
    const isReplay = replayedFrom !== undefined;
    return { address, isSandbox, isReplay, hasKey, windows: service.windows() };
  };
  /** The settings of the next request, with the windows that the service reported. */
  const settingsOf = ({ model, maxTokens, parameters }: SessionSettings): ResolvedSettings => ({
    ...settings,
    values: { ...settings.values, model, maxTokens },
    params: changedParams(settings.params, parameters),
    windows: service.windows(),
  });
  /** A secret keeps its placeholder in the whole conversation. */
  const { redact, restore, restoreText } = openRedaction(context);
  return {
    current: (): Service => service,
    facts,
    settingsOf,
    /** The model of the session and those of `fallback`. @throws Failure for a bad fallback */
    models(session: SessionSettings) {
      const usual = { ...options, sandbox: service.isSandbox };
      return fallbackModels({ ...run, options: usual, settings: settingsOf(session) });
    },
    /** Checks an address and a key, stores them for the next start and switches to them. @throws Failure */
    async connect(address: string, key: string | undefined, signal: AbortSignal) {
      const old = service;
      if (old.replayedFrom !== undefined || (old.isSandbox && address === facts().address)) {
        // A replay has no key, and the sandbox its own one.
        context.secrets.keep({ apiKey: key });
        await checkApi(old, false, signal);
        return { service: facts(), isStored: false };
      }
      const entered = runWith(run, address, key);
      const { apiPath } = await findApi({ ...entered, context: { ...context, signal } });
      const found = withValues(entered.settings, definedFields({ apiPath }));
      const { apiKey, profile } = found;
      const saved = { apiKey: apiKey?.value, baseUrl: address, apiPath: found.values.apiPath };
      await changeStored(context, (before) => saveService(before, profile.value, saved));
      await old.close();
      service = await openService({ ...entered, settings: found }, source);
      settings = { ...found, params: settings.params };
      return { service: facts(), isStored: true };
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
    /** The files as they may be sent, or the problem that a person has yet to confirm. @throws Failure */
    inspect(
      files: readonly AttachedFile[],
      { isConfirmed, isRedacted }: { readonly isConfirmed: boolean; readonly isRedacted: boolean },
    ) {
      const usual = { ...options, sandbox: service.isSandbox };
      // The files go to the service in use, or to a fallback on a different machine.
      const plan = planGuard({ ...run, options: usual, settings });
      const mode = isRedacted ? 'redact' : (plan?.mode ?? 'off');
      if (mode === 'off' || (mode === 'ask' && isConfirmed)) return { files };
      const located = files.flatMap((file) => locateSecrets(context, file));
      if (located.length === 0) return { files };
      if (mode === 'ask') {
        const { value: receiver = '' } = plan?.settings.profile ?? {};
        const isFallback = receiver !== settings.profile.value;
        const text = isFallback ? `; a fallback sends it to the profile ${receiver}` : '';
        return { files, problem: describeSecrets(located) + text };
      }
      return { files: files.map(({ name, content }) => ({ name, content: redact(content) })) };
    },
    restore,
    restoreText,
    close: () => service.close(),
  };
}

export type ReplService = Awaited<ReturnType<typeof openReplService>>;

export type FoundServer = Awaited<ReturnType<typeof findLocalServers>>[number];

/** Programs that serve models on this machine, and their default ports. */
const defaultServers = [
  { name: 'llama.cpp', port: 8080 },
  { name: 'Ollama', port: 11_434 },
  { name: 'vLLM', port: 8000 },
  { name: 'LM Studio', port: 1234 },
];

/** Milliseconds. */
const timeLimit = 1500;

/** Sends neither the key nor the headers of the profile, because any program may listen on these ports. */
export async function findLocalServers(run: Run, signal: AbortSignal, servers = defaultServers) {
  const limits = { retries: 0, connectTimeout: timeLimit, totalTimeout: timeLimit } as const;
  const withoutHeaders = { ...run, settings: { ...run.settings, headers: {} } };
  const find = async ({ name, port }: (typeof defaultServers)[number]) => {
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
