import { endpointUrl, parseBaseUrl } from '../../client/http/base-url.ts';
import type { Client, ClientOptions } from '../../client/client.ts';
import type { Clock } from '../../clock.ts';
import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import type { DebugLog, Presentation } from '../print/presentation.ts';
import type { Notices } from '../../output/notices.ts';
import {
  type Resolved,
  withoutSources,
  type ResolvedSettings,
} from '../../settings/resolved-settings.ts';
import { resolveFolders } from '../../settings/folders.ts';
import { maskUrl } from '../../secrets/mask.ts';
import type { UsageSource } from '../../usage/budget.ts';
import { meterClient } from '../../usage/meter.ts';
import { learnWindows, withWindow } from '../../usage/windows.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { maskText, textFilter } from '../program/secrets.ts';
import { chooseRecording, type ReplayChoice } from './recording-choice.ts';
import { noticeRisks } from './notice-risks.ts';
import { withoutThinkTags } from './think-tags.ts';
import { otherProfiles } from './other-profiles.ts';
import { createClient } from '../../client/create-client.ts';
import { nodeNetwork } from '../../client/http/node-network.ts';
import { maskClient } from './masked-client.ts';
import { logClient } from './logged-client.ts';
import { commandLabel, keyFromCommand } from './key-command.ts';
import { explainPrintedKey } from './printed-key-client.ts';

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
  /** What sends its prompts. */
  readonly source: UsageSource;
  /** The recording that is replayed; undefined for a service or the sandbox. */
  readonly replayedFrom?: string;
  close(): Promise<void>;
}

const unconfigured = { problem: 'no service is configured', hint: 'see natter auth login' };

/** Says that the sandbox answers. @throws Failure `configuration` unless a user can see the notice about it */
async function noticeSandbox(
  context: Context,
  notices: Notices,
  settings: ResolvedSettings,
  writesFile: boolean,
): Promise<void> {
  const others = otherProfiles(context, settings);
  const { problem, hint } = others ?? unconfigured;
  const { stdin, stdout, stderr } = context.streams;
  const isSeen = stdin.isTerminal && stdout.isTerminal && stderr.isTerminal;
  if (writesFile || !isSeen) {
    throw new Failure('configuration', problem, {
      hint: others?.hint ?? 'run natter auth login, set NATTER_BASE_URL, or try natter --sandbox',
    });
  }
  notices.notice(`${problem}; using the sandbox (${hint})`);
}

export interface Target {
  readonly baseUrl: string;
  /** Of the settings; the sandbox has the usual one. */
  readonly apiPath?: string | undefined;
  readonly apiKey: string | undefined;
  /** The setting whose command printed the key. */
  readonly printedBy?: Resolved<string> | undefined;
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
 * A client of the target. Without a network among the `others`, it sends with that of single prompts. What it sends and
 * receives goes through a list of middleware: secrets are masked first; NATTER_DEBUG adds a debug log, and a key that a
 * command printed is named when the service rejects it.
 */
export async function openClient(
  context: MaskedContext,
  log: DebugLog,
  settings: ResolvedSettings,
  target: Target,
  others: Partial<ClientOptions> = {},
): Promise<Client> {
  const middleware = [maskClient(() => textFilter(context.secrets))];
  const client = createClient({
    ...clientOptions(context, settings, target),
    network: others.network ?? nodeNetwork,
    ...others,
  });
  if (isSet(context.environment, 'NATTER_DEBUG')) {
    const baseUrl = parseBaseUrl(target.baseUrl, target.apiPath);
    const address = (path: string) => maskUrl(String(endpointUrl(baseUrl, path)));
    const profile = settings.profile.value;
    middleware.push(logClient({ log, clock: context.clock, address, profile }));
  }
  if (target.printedBy !== undefined) {
    middleware.push(explainPrintedKey(commandLabel(target.printedBy)));
  }
  return middleware.reduce((inner, wrap) => wrap(inner), client);
}

/** The key of the settings, or what their command prints; runs it once for each process. @throws Failure */
export async function serviceKey(
  context: Context,
  settings: ResolvedSettings,
): Promise<string | undefined> {
  const { apiKey, apiKeyCommand } = settings;
  if (apiKeyCommand === undefined) return apiKey?.value;
  return keyFromCommand(context, settings.values, apiKeyCommand);
}

type ServiceOutput = Pick<Presentation, 'notices' | 'debugLog'>;

/** The address of a replay; never requested. */
const replayUrl = 'http://replay.localhost';

async function openReplay(
  context: Context,
  { notices, debugLog }: ServiceOutput,
  settings: ResolvedSettings,
  source: UsageSource,
  replay: ReplayChoice,
): Promise<Service> {
  const { replayOptions } = await import('./recorded-service.ts');
  const recording = await replayOptions(context, notices, replay);
  const target = { baseUrl: replayUrl, apiKey: undefined };
  const client = await openClient(context, debugLog, settings, target, recording);
  const { clock = context.clock } = recording;
  return {
    client,
    windows: () => settings.windows ?? new Map(),
    clock,
    baseUrl: replayUrl,
    isSandbox: false,
    source,
    replayedFrom: replay.file,
    close: async () => client.close(),
  };
}

interface OpenTarget extends Target {
  close?(): Promise<void>;
}

/** The configured service; the sandbox without a `baseUrl`. */
async function openTarget(
  context: Context,
  settings: ResolvedSettings,
  baseUrl: string | undefined,
): Promise<OpenTarget> {
  if (baseUrl !== undefined) {
    const apiKey = await serviceKey(context, settings);
    return { baseUrl, apiPath: settings.values.apiPath, apiKey, printedBy: settings.apiKeyCommand };
  }
  const { startSandbox } = await import('../../sandbox/server.ts');
  const { sandboxKey } = await import('../../sandbox/keys.ts');
  const sandbox = await startSandbox({ clock: context.clock, unref: true });
  return { baseUrl: sandbox.url, apiKey: sandboxKey, close: () => sandbox.close() };
}

interface ServiceChanges extends Pick<Partial<ClientOptions>, 'network'> {
  /** The answers go into a file, where the notice about the sandbox would not be. */
  readonly writesFile?: boolean;
}

/**
 * Opens the recording to replay, the configured service, or the sandbox.
 * @param source what sends its prompts, for the ledger and the limits of a run
 * @param changes how the service is used, and options of the client
 * @throws Failure `configuration` if none of them is available
 */
export async function openService(
  context: Context,
  output: ServiceOutput,
  options: GlobalOptions,
  settings: ResolvedSettings,
  source: UsageSource,
  { writesFile = false, ...changes }: ServiceChanges = {},
): Promise<Service> {
  const { notices, debugLog: log } = output;
  const { clock, environment } = context;
  const { record, replay } = chooseRecording(options, environment);
  // A replay sends nothing, so it is not metered.
  if (replay !== undefined) return openReplay(context, output, settings, source, replay);
  const baseUrl = options.sandbox === true ? undefined : settings.values.baseUrl;
  if (baseUrl === undefined && options.sandbox !== true) {
    await noticeSandbox(context, notices, settings, writesFile);
  }
  let recording: Partial<ClientOptions> = {};
  if (record !== undefined) {
    const { recordingOptions } = await import('./recorded-service.ts');
    recording = await recordingOptions(context, notices, record);
  }
  const isSandbox = baseUrl === undefined;
  if (!isSandbox) noticeRisks(context, notices, settings);
  const target = await openTarget(context, settings, baseUrl);
  const client = await openClient(context, log, settings, target, { ...recording, ...changes });
  const mask = (text: string) => maskText(context.secrets, text);
  const { windows, client: unmetered } = isSandbox
    ? { client, windows: () => withWindow(new Map(), settings.values) }
    : learnWindows(client, { context, settings, log, mask });
  const { state } = resolveFolders(context);
  const meter = meterClient(unmetered, {
    clock,
    state,
    notices,
    settings,
    source,
    isSandbox,
    mask,
  });
  const answering = settings.values.thinkTags === 'answer';
  return {
    client: answering ? meter.client : withoutThinkTags(meter.client),
    unmetered,
    windows,
    clock,
    baseUrl: target.baseUrl,
    isSandbox,
    source,
    async close() {
      meter.close();
      client.close();
      await target.close?.();
    },
  };
}
