import { endpointUrl, parseBaseUrl } from '../../client/http/base-url.ts';
import type { Client, ClientOptions } from '../../client/client.ts';
import type { Clock } from '../../clock.ts';
import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { DebugLog } from '../../output/debug-log.ts';
import type { Notices } from '../../output/notices.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { resolveSettings, type SettingFlags } from '../../settings/resolve.ts';
import {
  describeWithheld,
  withoutSources,
  type ResolvedSettings,
} from '../../settings/resolved-settings.ts';
import { readStoredSettings } from '../../settings/settings-file.ts';
import {
  emptyCredentials,
  emptySettings,
  type StoredSettings,
} from '../../settings/stored-settings.ts';
import { maskUrl } from '../../secrecy/mask.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import type { Presentation } from '../print/presentation.ts';
import { textFilter } from '../program/mask-secrets.ts';
import { chooseRecording } from './recording-choice.ts';
import { learnWindows, readServedWindows } from './served-windows.ts';

/** A service that prompts can be sent to. */
export interface Service {
  readonly client: Client;
  /** What the service has said of the windows of its models, in this run and before. */
  readonly windows: () => ModelWindows;
  /** The time of the client, which a replay may let pass faster. */
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The built-in sandbox answers: nothing leaves the machine. */
  readonly isSandbox: boolean;
  /** The recording that answers; undefined where a service or the sandbox does. */
  readonly replayedFrom?: string;
  close(): Promise<void>;
}

const nothingStored: StoredSettings = { settings: emptySettings, credentials: emptyCredentials };

/** Reads the settings files and prints their warnings. */
export function readStored(context: Context, notices: Notices): StoredSettings {
  const folders = resolveFolders(context);
  const { stored, warnings } = readStoredSettings(folders.config, context.platform);
  for (const warning of warnings) notices.warning(warning);
  return stored;
}

/**
 * The settings in force. With `--sandbox` no profile takes part, because profiles describe other services.
 * @throws Failure for a bad value or file
 */
export function readSettings(
  context: Context,
  notices: Notices,
  options: GlobalOptions,
  flags: SettingFlags = {},
): ResolvedSettings {
  const settings = resolveSettings(
    options.sandbox === true
      ? {
          flags: { ...options, ...flags, profile: undefined },
          environment: { ...context.environment, NATTER_PROFILE: undefined },
          stored: nothingStored,
        }
      : {
          flags: { ...options, ...flags },
          environment: context.environment,
          stored: readStored(context, notices),
        },
  );
  keepSecrets(context, settings);
  const { baseUrl } = settings.values;
  return { ...settings, windows: readServedWindows(context, baseUrl) };
}

/** Has the secrets of these settings masked from now on. */
export function keepSecrets(
  { secrets }: Pick<Context, 'secrets'>,
  { apiKey, headers, values }: Pick<ResolvedSettings, 'apiKey' | 'headers' | 'values'>,
): void {
  const addresses = [values.baseUrl];
  secrets.keep({ apiKey: apiKey?.value, headers: withoutSources(headers), addresses });
}

/** Without a configured service, the sandbox answers only if a person can see the notice about it. */
function sandboxIsDefault({ streams }: Context): boolean {
  return streams.stdin.isTerminal && streams.stdout.isTerminal && streams.stderr.isTerminal;
}

function notConfigured(): Failure {
  return new Failure('configuration', 'no service is configured', {
    hint: 'run natter auth login, set NATTER_BASE_URL, or try natter --sandbox',
  });
}

async function openSandbox(
  context: Context,
  log: DebugLog,
  settings: ResolvedSettings,
  recording: Partial<ClientOptions>,
): Promise<Service> {
  const { startSandbox } = await import('../../sandbox/server.ts');
  const { sandboxKey } = await import('../../sandbox/keys.ts');
  const sandbox = await startSandbox({ clock: context.clock, unref: true });
  const target = { baseUrl: sandbox.url, apiKey: sandboxKey };
  const client = await openClient(context, log, settings, target, recording);
  return {
    client,
    windows: () => new Map(),
    clock: context.clock,
    baseUrl: sandbox.url,
    isSandbox: true,
    async close() {
      client.close();
      await sandbox.close();
    },
  };
}

/** Where requests go, and the key they carry. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** The settings as a client takes them. */
export function clientOptions(
  context: Context,
  settings: ResolvedSettings,
  { baseUrl, apiKey }: Target,
): ClientOptions {
  const { values } = settings;
  return {
    baseUrl,
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

/** A client of the target, with a debug log if NATTER_DEBUG is set. */
export async function openClient(
  context: Context,
  log: DebugLog,
  settings: ResolvedSettings,
  target: Target,
  recording: Partial<ClientOptions> = {},
): Promise<Client> {
  const { createClient } = await import('../../client/create-client.ts');
  const { maskClient } = await import('./masked-client.ts');
  const options = { ...clientOptions(context, settings, target), ...recording };
  const client = maskClient(createClient(options), () => textFilter(context.secrets));
  if (!isSet(context.environment, 'NATTER_DEBUG')) return client;
  const { logClient } = await import('./logged-client.ts');
  const baseUrl = parseBaseUrl(target.baseUrl);
  return logClient(client, {
    log,
    clock: context.clock,
    address: (path) => maskUrl(String(endpointUrl(baseUrl, path))),
    profile: settings.profile.value,
  });
}

/** Prints notices about withheld secrets and unverified certificates. */
export function noticeRisks(context: Context, notices: Notices, settings: ResolvedSettings): void {
  for (const secret of settings.withheld) notices.notice(describeWithheld(secret));
  const unverified = context.environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  if (unverified && settings.values.baseUrl?.toLowerCase().startsWith('https:') === true) {
    notices.warning('TLS certificates are not verified: NODE_TLS_REJECT_UNAUTHORIZED is 0');
  }
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

/** Placeholder address during a replay; never requested. */
const replayUrl = 'http://replay.localhost';

/**
 * Opens the recording that answers, the service the settings name, or the sandbox.
 * @throws Failure of kind `configuration` when there is none of them
 */
export async function openService(
  context: Context,
  { notices, debugLog }: Pick<Presentation, 'notices' | 'debugLog'>,
  options: GlobalOptions,
  settings: ResolvedSettings,
): Promise<Service> {
  const { baseUrl } = settings.values;
  const { record, replay } = chooseRecording(options, context.environment);
  if (replay !== undefined) {
    const { replayOptions } = await import('./recorded-service.ts');
    const recording = replayOptions(context, notices, replay);
    const target = { baseUrl: replayUrl, apiKey: undefined };
    const client = await openClient(context, debugLog, settings, target, recording);
    const close = async () => client.close();
    const { clock = context.clock } = recording;
    return {
      client,
      windows: () => settings.windows ?? new Map(),
      clock,
      baseUrl: replayUrl,
      isSandbox: false,
      replayedFrom: replay.file,
      close,
    };
  }
  const isConfigured = baseUrl !== undefined && options.sandbox !== true;
  if (!isConfigured && options.sandbox !== true) {
    if (!sandboxIsDefault(context)) throw notConfigured();
    notices.notice('no service is configured; using the sandbox (see natter auth login)');
  }
  const recording = await recordInto(context, notices, record);
  if (!isConfigured) return openSandbox(context, debugLog, settings, recording);
  noticeRisks(context, notices, settings);
  const target = { baseUrl, apiKey: settings.apiKey?.value };
  const client = await openClient(context, debugLog, settings, target, recording);
  const { clock } = context;
  const learning = learnWindows(context, debugLog, settings, client);
  return { ...learning, clock, baseUrl, isSandbox: false, close: async () => client.close() };
}
