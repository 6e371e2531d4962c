import { endpointUrl, parseBaseUrl } from '../../client/http/base-url.ts';
import type { Client, ClientOptions } from '../../client/client.ts';
import type { Clock } from '../../clock.ts';
import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { DebugLog } from '../print/debug-log.ts';
import type { Notices } from '../../output/notices.ts';
import { withoutSources, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import { maskUrl } from '../../secrecy/mask.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { Presentation } from '../print/presentation.ts';
import { textFilter } from '../program/mask-secrets.ts';
import { chooseRecording, type ReplayChoice } from './recording-choice.ts';
import { meterService } from './metered-service.ts';
import { noticeRisks } from './notice-risks.ts';
import { learnWindows, withWindow } from './served-windows.ts';

export interface Service {
  readonly client: Client;
  /** The client without the ledger and the budget, for what is no prompt; undefined for a replay. */
  readonly unmetered?: Client;
  /** The context windows of the models, as the service reported them in this run and before. */
  readonly windows: () => ModelWindows;
  /** The clock of the client; a replay may run faster. */
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The built-in sandbox answers: nothing leaves the machine. */
  readonly isSandbox: boolean;
  /** The recording that is replayed; undefined for a service or the sandbox. */
  readonly replayedFrom?: string;
  close(): Promise<void>;
}

/** Without a configured service, the sandbox is used only if a user can see the notice about it. */
function isSandboxDefault({ stdin, stdout, stderr }: Context['streams']): boolean {
  return stdin.isTerminal && stdout.isTerminal && stderr.isTerminal;
}

const unconfigured = { problem: 'no service is configured', hint: 'see natter auth login' };

function notConfigured(others?: { readonly problem: string; readonly hint: string }): Failure {
  const hint =
    others?.hint ?? 'run natter auth login, set NATTER_BASE_URL, or try natter --sandbox';
  return new Failure('configuration', (others ?? unconfigured).problem, { hint });
}

async function openSandbox(
  context: MaskedContext,
  log: DebugLog,
  settings: ResolvedSettings,
  others: Partial<ClientOptions>,
): Promise<Service> {
  const { startSandbox } = await import('../../sandbox/server.ts');
  const { sandboxKey } = await import('../../sandbox/keys.ts');
  const sandbox = await startSandbox({ clock: context.clock, unref: true });
  const target = { baseUrl: sandbox.url, apiKey: sandboxKey };
  const client = await openClient(context, log, settings, target, others);
  return {
    client,
    windows: () => withWindow(new Map(), settings.values),
    clock: context.clock,
    baseUrl: sandbox.url,
    isSandbox: true,
    async close() {
      client.close();
      await sandbox.close();
    },
  };
}

export interface Target {
  readonly baseUrl: string;
  /** Of the settings; the sandbox has the usual one. */
  readonly apiPath?: string | undefined;
  readonly apiKey: string | undefined;
}

/** What a client needs of the context. */
export type ClientContext = Pick<Context, 'version' | 'environment' | 'clock' | 'random'>;

type MaskedContext = ClientContext & Pick<Context, 'secrets'>;

export function clientOptions(
  context: ClientContext,
  settings: ResolvedSettings,
  { baseUrl, apiPath, apiKey }: Target,
): Omit<ClientOptions, 'network'> {
  const { values } = settings;
  return {
    baseUrl,
    apiPath,
    ...(apiKey === undefined ? {} : { apiKey }),
    headers: withoutSources(settings.headers),
    userAgent: `natter/${context.version}`,
    retries: values.retries,
    retryWaitLimit: values.retryMaxWait,
    connectTimeout: values.connectTimeout,
    firstByteTimeout: values.firstByteTimeout,
    idleTimeout: values.idleTimeout,
    totalTimeout: values.timeout,
    allowInsecure: values.allowInsecure,
    environment: context.environment,
    clock: context.clock,
    random: context.random,
  };
}

/**
 * A client of the target that masks secrets, with a debug log if NATTER_DEBUG is set. Without a network among the
 * `others`, it sends with that of single prompts.
 */
export async function openClient(
  context: MaskedContext,
  log: DebugLog,
  settings: ResolvedSettings,
  target: Target,
  others: Partial<ClientOptions> = {},
): Promise<Client> {
  const { createClient } = await import('../../client/create-client.ts');
  const { nodeNetwork } = await import('../../client/http/node-network.ts');
  const { maskClient } = await import('./masked-client.ts');
  const options = {
    ...clientOptions(context, settings, target),
    network: others.network ?? nodeNetwork,
    ...others,
  };
  const client = maskClient(createClient(options), () => textFilter(context.secrets));
  if (!isSet(context.environment, 'NATTER_DEBUG')) return client;
  const { logClient } = await import('./logged-client.ts');
  const baseUrl = parseBaseUrl(target.baseUrl, target.apiPath);
  return logClient(client, {
    log,
    clock: context.clock,
    address: (path) => maskUrl(String(endpointUrl(baseUrl, path))),
    profile: settings.profile.value,
  });
}

/** The key of the settings, or what their command prints; runs it once for each process. @throws Failure */
export async function serviceKey(
  context: Context,
  settings: ResolvedSettings,
): Promise<string | undefined> {
  const { apiKey, apiKeyCommand } = settings;
  if (apiKeyCommand === undefined) return apiKey?.value;
  const { keyFromCommand } = await import('./key-command.ts');
  return keyFromCommand(context, settings.values, apiKeyCommand);
}

async function explainedClient(
  client: Client,
  { apiKeyCommand }: ResolvedSettings,
): Promise<Client> {
  if (apiKeyCommand === undefined) return client;
  const { commandLabel } = await import('./key-command.ts');
  const { explainPrintedKey } = await import('./printed-key-client.ts');
  return explainPrintedKey(client, commandLabel(apiKeyCommand));
}

async function recordInto(
  context: Context,
  notices: Notices,
  file: string | undefined,
): Promise<Partial<ClientOptions>> {
  if (file === undefined) return {};
  const { recordingOptions } = await import('./recorded-service.ts');
  return recordingOptions(context, notices, file);
}

type ServiceOutput = Pick<Presentation, 'notices' | 'debugLog'>;

/** The address of a replay; never requested. */
const replayUrl = 'http://replay.localhost';

async function openReplay(
  context: Context,
  { notices, debugLog }: ServiceOutput,
  settings: ResolvedSettings,
  replay: ReplayChoice,
): Promise<Service> {
  const { replayOptions } = await import('./recorded-service.ts');
  const recording = replayOptions(context, notices, replay);
  const target = { baseUrl: replayUrl, apiKey: undefined };
  const client = await openClient(context, debugLog, settings, target, recording);
  const { clock = context.clock } = recording;
  return {
    client,
    windows: () => settings.windows ?? new Map(),
    clock,
    baseUrl: replayUrl,
    isSandbox: false,
    replayedFrom: replay.file,
    close: async () => client.close(),
  };
}

interface ServiceChanges extends Pick<Partial<ClientOptions>, 'network'> {
  /** The answers go into a file, where the notice about the sandbox would not be. */
  readonly writesFile?: boolean;
}

async function openUnmetered(
  context: Context,
  { notices, debugLog }: ServiceOutput,
  options: GlobalOptions,
  settings: ResolvedSettings,
  { writesFile = false, ...changes }: ServiceChanges,
): Promise<Service> {
  const { baseUrl } = settings.values;
  const { record, replay } = chooseRecording(options, context.environment);
  if (replay !== undefined) return openReplay(context, { notices, debugLog }, settings, replay);
  const isSandbox = options.sandbox === true;
  const isConfigured = baseUrl !== undefined && !isSandbox;
  if (!isConfigured && !isSandbox) {
    const { otherProfiles } = await import('./other-profiles.ts');
    const others = otherProfiles(context, settings);
    if (writesFile || !isSandboxDefault(context.streams)) throw notConfigured(others);
    const { problem, hint } = others ?? unconfigured;
    notices.notice(`${problem}; using the sandbox (${hint})`);
  }
  const recording = await recordInto(context, notices, record);
  const others = { ...recording, ...changes };
  if (!isConfigured) return openSandbox(context, debugLog, settings, others);
  noticeRisks(context, notices, settings);
  const { apiPath } = settings.values;
  const target = { baseUrl, apiPath, apiKey: await serviceKey(context, settings) };
  const plain = await openClient(context, debugLog, settings, target, others);
  const client = await explainedClient(plain, settings);
  const { clock } = context;
  const learning = learnWindows(context, debugLog, settings, client);
  return { ...learning, clock, baseUrl, isSandbox: false, close: async () => client.close() };
}

/**
 * Opens the recording to replay, the configured service, or the sandbox.
 * @param changes how the service is used, and options of the client
 * @throws Failure `configuration` if none of them is available
 */
export async function openService(
  context: Context,
  output: ServiceOutput,
  options: GlobalOptions,
  settings: ResolvedSettings,
  changes: ServiceChanges = {},
): Promise<Service> {
  const service = await openUnmetered(context, output, options, settings, changes);
  const { notices, debugLog: log } = output;
  // A replay sends nothing.
  if (service.replayedFrom !== undefined) return service;
  return meterService(service, { context, notices, log, settings });
}
