import { planRequest, changedParams } from '../ask/plan-request.ts';
import type { Client } from '../client/client.ts';
import type { Message, ModelRecord } from '../client/contract.ts';
import { createClient } from '../client/create-client.ts';
import { describeModel } from '../client/models/model-description.ts';
import type { ChatOptions } from '../commands/chat/chat-run.ts';
import {
  catalogueMark,
  catalogueNote,
  hasCatalogueMark,
  modelCells,
  modelColumns,
} from '../commands/models/model-text.ts';
import type { Run } from '../run.ts';
import { forgetPrintedKey, serviceKey } from '../ask/key-command.ts';
import { openService, type Service, clientOptions } from '../ask/service.ts';
import { readSettings, changeStored, noticeOverrides } from '../settings/read-settings.ts';
import { Failure } from '../failure.ts';
import { spokenRows, formatTable } from '../output/table.ts';
import { saveCredential, setStoredSetting } from '../settings/profiles.ts';
import { withoutSources, type ResolvedSettings } from '../settings/resolved-settings.ts';
import { parseApiKey } from '../settings/setting-value.ts';
import { plainStyle } from '../terminal/style.ts';
import type { UsageSource } from '../usage/budget.ts';
import type { ServiceFacts, SessionSettings } from './state.ts';

interface ReplServiceOptions extends Run<ChatOptions> {
  readonly source: UsageSource;
}

function factsOf(
  { baseUrl, isSandbox, replayedFrom, windows }: Service,
  { apiKey }: ResolvedSettings,
): ServiceFacts {
  const facts = {
    isSandbox,
    hasKey: isSandbox || apiKey !== undefined,
    windows: windows(),
  };
  if (replayedFrom !== undefined) return { ...facts, address: replayedFrom, isReplay: true };
  return { ...facts, address: isSandbox ? 'the sandbox' : baseUrl };
}

function withSession(
  settings: ResolvedSettings,
  { model, maxTokens, parameters }: SessionSettings,
): ResolvedSettings {
  const values = { ...settings.values, model, maxTokens };
  return { ...settings, values, params: changedParams(settings.params, parameters) };
}

/** Checks address and key. Some servers list no models, and then the key is not checked. */
async function check(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await client.listModels({ signal });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
  }
}

/** The settings for a different service, without secrets and parameters of the current one. */
function settingsFor(
  { context, presentation, options }: ReplServiceOptions,
  address: string,
  key: string | undefined,
): ResolvedSettings {
  const { sandbox: _sandbox, ...others } = options;
  const stored = readSettings(context, presentation.notices, others, {
    ...others,
    params: {},
    baseUrl: address,
  });
  const { apiKey: _key, apiKeyCommand: _command, ...settings } = stored;
  if (key === undefined) return settings;
  // The user can correct an invalid key, as after a refusal by the service.
  const apiKey = parseApiKey(key, 'the API key', 'unauthorized');
  context.secrets.keep({ apiKey });
  return { ...settings, apiKey: { value: apiKey, source: { kind: 'flag', name: 'entered' } } };
}

async function store(
  { context }: ReplServiceOptions,
  settings: ResolvedSettings,
  baseUrl: string,
): Promise<void> {
  const profile = settings.profile.value;
  const apiKey = settings.apiKey?.value;
  await changeStored(context, (before) =>
    apiKey === undefined
      ? setStoredSetting(before, profile, 'base-url', baseUrl)
      : saveCredential(before, profile, { apiKey, baseUrl }),
  );
}

function describeModels(
  records: readonly ModelRecord[],
  { context, presentation }: ReplServiceOptions,
): string {
  if (records.length === 0) return 'the service lists no models';
  const rows = records.map((record) => modelCells(describeModel(record), true));
  if (presentation.isSpoken) {
    const unmarked = rows.map((row) => row.map((cell) => cell.replace(catalogueMark, '')));
    return spokenRows(modelColumns, unmarked).trimEnd();
  }
  const layout = {
    isTerminal: true,
    width: context.streams.stdout.columns() - 1,
    style: plainStyle,
  };
  const note = rows.some(hasCatalogueMark) ? catalogueNote : '';
  return (formatTable(modelColumns, rows, layout) + note).trimEnd();
}

/** Closes the old service, except a sandbox of which only the key changes. */
async function replaceService(old: Service, opened: Service): Promise<Service> {
  if (!old.isSandbox || old.baseUrl !== opened.baseUrl) {
    await old.close();
    return opened;
  }
  const close = async () => {
    await opened.close();
    await old.close();
  };
  return { ...opened, isSandbox: true, close };
}

/** Opens the service of `settings`, stores it once it has answered, and closes the old one. */
async function openOther(
  replOptions: ReplServiceOptions,
  old: Service,
  settings: ResolvedSettings,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Service> {
  const { sandbox: _sandbox, ...others } = replOptions.options;
  const run = { ...replOptions, options: others, settings };
  const opened = await openService(run, replOptions.source);
  try {
    await check(opened.client, signal);
    if (!old.isSandbox || baseUrl !== old.baseUrl) await store(replOptions, settings, baseUrl);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return replaceService(old, opened);
}

/** The service of a conversation, which `connect` can replace. Without a configured one it is the sandbox. */
export async function openReplService(replOptions: ReplServiceOptions) {
  const { context, presentation, options, source } = replOptions;
  let { settings } = replOptions;
  const sandbox = options.sandbox === true || settings.values.baseUrl === undefined;
  const opening = sandbox ? { ...options, sandbox } : options;
  let service = await openService({ ...replOptions, options: opening }, source);
  return {
    client: () => service.client,
    facts: () => factsOf(service, settings),
    /**
     * A request, and a warning to print before it is sent.
     * @param promptTokens of the messages, if more is known than an estimate
     * @throws Failure of kind `invalid_request` if the prompt cannot fit the window
     */
    plan(messages: readonly Message[], session: SessionSettings, promptTokens?: number) {
      const served = { ...withSession(settings, session), windows: service.windows() };
      return planRequest(served, messages, options.stream, '/model', promptTokens);
    },
    /** The windows of the service's models, as far as it reported them. */
    windows: () => service.windows(),
    /** The fields of the next request's body besides the usual ones. */
    parameters: (session: SessionSettings) => withoutSources(withSession(settings, session).params),
    /** Checks an address and a key, stores them and switches to them. @throws Failure */
    async connect(
      address: string,
      key: string | undefined,
      signal: AbortSignal,
    ): Promise<ServiceFacts> {
      if (service.replayedFrom !== undefined) {
        // The replay accepts any key; nothing is stored.
        context.secrets.keep({ apiKey: key });
        await check(service.client, signal);
        return factsOf(service, settings);
      }
      const target = address === factsOf(service, settings).address ? service.baseUrl : address;
      const next = settingsFor(replOptions, target, key);
      service = await openOther(replOptions, service, next, target, signal);
      settings = { ...next, params: settings.params };
      noticeOverrides(context.environment, presentation.notices);
      return factsOf(service, settings);
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
        const run = { ...replOptions, settings };
        const rejected = await serviceKey(run);
        forgetPrintedKey(context, apiKeyCommand);
        if ((await serviceKey(run)) === rejected) return false;
        const old = service;
        service = await openService(run, source);
        await old.close();
        return true;
      };
    },
    findServers: (signal: AbortSignal) => findLocalServers({ ...replOptions, settings }, signal),
    describeModels: (records: readonly ModelRecord[]) => describeModels(records, replOptions),
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

interface LocalServer {
  readonly name: string;
  readonly port: number;
}

/** Programs that serve models on this machine, and their default ports. */
const defaultServers: readonly LocalServer[] = [
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
  servers: readonly LocalServer[] = defaultServers,
): Promise<readonly FoundServer[]> {
  const limits = { retries: 0, connectTimeout: timeLimit, totalTimeout: timeLimit } as const;
  const withoutHeaders = { ...run, settings: { ...run.settings, headers: {} } };
  const find = async ({ name, port }: LocalServer) => {
    const url = `http://127.0.0.1:${port}`;
    const target = { baseUrl: url, apiKey: undefined };
    const client = createClient({
      ...clientOptions(withoutHeaders, target),
      ...limits,
    });
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
