import type { Run } from '../program/run.ts';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { describeModel } from '../../client/models/model-description.ts';
import { Failure } from '../../failure.ts';
import { spokenRows, formatTable } from '../../output/table.ts';
import type { ServicePort } from '../../repl/session/ports.ts';
import type { ServiceFacts } from '../../repl/state/state.ts';
import type { SessionSettings } from '../../repl/state/effect.ts';
import { parseApiKey } from '../../settings/setting-value.ts';
import { saveCredential, setStoredSetting } from '../../settings/profiles.ts';
import { withoutSources, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { UsageSource } from '../../usage/budget.ts';
import { withWindow } from '../../usage/windows.ts';
import { plainStyle } from '../../terminal/style.ts';
import { planRequest } from '../../ask/plan-request.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import { keyRenewal } from './key-renewal.ts';
import { laterSandbox, type LaterService } from './later-sandbox.ts';
import { findLocalServers } from './local-servers.ts';
import {
  catalogueMark,
  catalogueNote,
  hasCatalogueMark,
  modelCells,
  modelColumns,
} from '../models/model-text.ts';
import { chooseRecording } from '../service/recording-choice.ts';
import { changedParams } from '../service/changed-params.ts';
import { openService, type Service } from '../service/service.ts';
import { readSettings, changeStored, noticeOverrides } from '../service/settings-access.ts';

export interface ReplServiceOptions extends Run<ChatOptions> {
  readonly settings: ResolvedSettings;
  readonly source: UsageSource;
}

export interface ReplService extends ServicePort {
  facts(): ServiceFacts;
  /** Opens what is opened by its first use. @throws Failure */
  prepare(): Promise<void>;
  close(): Promise<void>;
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

function plan(
  messages: Parameters<ServicePort['plan']>[0],
  settings: ResolvedSettings,
  service: Service,
  { stream }: ChatOptions,
  promptTokens: number | undefined,
): ReturnType<ServicePort['plan']> {
  const served = { ...settings, windows: service.windows() };
  return planRequest(served, messages, stream, { modelSwitch: '/model', promptTokens });
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
  const { context, presentation, source } = replOptions;
  const opened = await openService(context, presentation, others, settings, source);
  try {
    await check(opened.client, signal);
    if (!old.isSandbox || baseUrl !== old.baseUrl) await store(replOptions, settings, baseUrl);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return replaceService(old, opened);
}

/** The sandbox, without a notice, if no service is configured. It starts later, unless it is recorded. */
function openFirst(replOptions: ReplServiceOptions): Promise<Service> | LaterService {
  const { context, presentation, options, settings, source } = replOptions;
  const sandbox = options.sandbox === true || settings.values.baseUrl === undefined;
  const opening = sandbox ? { ...options, sandbox } : options;
  const open = () => openService(context, presentation, opening, settings, source);
  const { record, replay } = chooseRecording(options, context.environment);
  if (!sandbox || record !== undefined || replay !== undefined) return open();
  const windows = withWindow(new Map(), settings.values);
  return laterSandbox(open, { windows: () => windows, clock: context.clock, source });
}

/** Opens the first service of a REPL. */
export async function openReplService(replOptions: ReplServiceOptions): Promise<ReplService> {
  const { context, presentation, options } = replOptions;
  let { settings } = replOptions;
  const first = openFirst(replOptions);
  let service = await first;
  const prepare = async () => {
    if ('open' in first && service === first) service = await first.open();
  };
  return {
    prepare,
    client: () => service.client,
    facts: () => factsOf(service, settings),
    plan: (messages, session, tokens) =>
      plan(messages, withSession(settings, session), service, options, tokens),
    windows: () => service.windows(),
    parameters: (session) => withoutSources(withSession(settings, session).params),
    async connect(address, key, signal) {
      if (service.replayedFrom !== undefined) {
        // The replay accepts any key; nothing is stored.
        context.secrets.keep({ apiKey: key });
        await check(service.client, signal);
        return factsOf(service, settings);
      }
      await prepare();
      const target = address === factsOf(service, settings).address ? service.baseUrl : address;
      const next = settingsFor(replOptions, target, key);
      service = await openOther(replOptions, service, next, target, signal);
      settings = { ...next, params: settings.params };
      noticeOverrides(context.environment, presentation.notices);
      return factsOf(service, settings);
    },
    keyRenewal: () => keyRenewal(replOptions, settings, service, (next) => (service = next)),
    findServers: (signal) => findLocalServers(context, settings, signal),
    describeModels: (records) => describeModels(records, replOptions),
    close: () => service.close(),
  };
}
