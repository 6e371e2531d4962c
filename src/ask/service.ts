import type { Client, ClientOptions } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { endpointUrl, parseBaseUrl } from '../client/http/base-url.ts';
import { nodeNetwork } from '../client/http/node-network.ts';
import type { OpenNetwork } from '../client/http/transport.ts';
import type { Clock } from '../clock.ts';
import type { ModelWindows } from '../conversation/context-fit.ts';
import { isSet } from '../environment.ts';
import { Failure } from '../failure.ts';
import type { Run } from '../run.ts';
import { sandboxKey } from '../sandbox/keys.ts';
import { maskUrl } from '../secrets/mask.ts';
import { withWindow } from '../settings/model-windows.ts';
import { otherProfiles } from '../settings/read-settings.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import type { UsageSource } from '../usage/budget.ts';
import { meterClient } from '../usage/meter.ts';
import { learnWindows } from '../usage/windows.ts';
import { divideReasoning, explainPrintedKey, logClient, maskClient } from './client-layers.ts';
import { commandLabel, serviceKey } from './key-command.ts';
import { chooseRecording } from './recording-choice.ts';

export interface Service {
  readonly client: Client;
  /** The client without the ledger and the budget, for what is no prompt; undefined for a replay. */
  readonly unmetered?: Client | undefined;
  /** The context windows of the models, as the service reported them in this run and before. */
  readonly windows: () => ModelWindows;
  /** The clock of the client; a replay may run faster. */
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The built-in sandbox answers: nothing leaves the machine. */
  readonly isSandbox: boolean;
  /** A client whose requests the ledger has under a different command. */
  readonly clientFor: (command: string) => Client;
  /**
   * The client for a model. The service of a different profile is opened when it is needed; the sandbox and a replay
   * answer for all profiles.
   */
  readonly clientOf: (settings: ResolvedSettings) => Promise<Client>;
  /** The recording that is replayed; undefined for a service or the sandbox. */
  readonly replayedFrom?: string | undefined;
  close(): Promise<void>;
}

/** Prints notices about unsent secrets and unverified certificates. */
export function noticeRisks({ context, presentation: { notices }, settings }: Run): void {
  for (const secret of settings.unsentSecrets) notices.notice(secret.text);
  const isUnverified = context.environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  if (isUnverified && settings.values.baseUrl?.toLowerCase().startsWith('https:') === true) {
    notices.warning('TLS certificates are not verified: NODE_TLS_REJECT_UNAUTHORIZED is 0');
  }
}

/** Says that the sandbox answers. @throws Failure `configuration` unless a user can see the notice about it */
function noticeSandbox({ context, presentation, settings }: Run, writesFile: boolean): void {
  const others = otherProfiles(context, settings);
  const problem = others?.problem ?? 'no service is configured';
  const { stdin, stdout, stderr } = context.streams;
  const isSeen = stdin.isTerminal && stdout.isTerminal && stderr.isTerminal;
  if (writesFile || !isSeen) {
    throw new Failure('configuration', problem, {
      hint:
        others?.hint ?? 'run ‹natter auth login›, set NATTER_BASE_URL, or try ‹natter --sandbox›',
    });
  }
  const hint = others?.hint ?? 'see ‹natter auth login›';
  presentation.notices.notice(`${problem}; using the sandbox (${hint})`);
}

/** The address to which a client sends its requests, with the key for it. */
export interface Target {
  readonly baseUrl: string;
  /** Undefined for the sandbox, which has the usual path. */
  readonly apiPath?: string | undefined;
  readonly apiKey: string | undefined;
  close?(): Promise<void>;
}

/** Makes the options of a client with the network for single prompts. */
export function clientOptions(
  { context, settings }: Run,
  { baseUrl, apiPath, apiKey }: Target,
): ClientOptions {
  const { values } = settings;
  return {
    baseUrl,
    apiPath,
    ...(apiKey === undefined ? {} : { apiKey }),
    headers: settings.headers,
    userAgent: `natter/${context.version}`,
    retries: values.retries,
    retryWaitLimit: values.retryMaxWait,
    connectTimeout: values.connectTimeout,
    firstByteTimeout: values.firstByteTimeout,
    idleTimeout: values.idleTimeout,
    totalTimeout: values.timeout,
    allowInsecure: values.allowInsecure,
    network: nodeNetwork,
    environment: context.environment,
    clock: context.clock,
    random: context.random,
  };
}

/** Opens a client that masks secrets, writes the debug log, and names the command that printed its key. */
export function openClient(run: Run, target: Target, changes: Partial<ClientOptions> = {}): Client {
  const { context, settings } = run;
  const { apiKeyCommand, values } = settings;
  const own = createClient({ ...clientOptions(run, target), ...changes });
  let client = maskClient(own, context.secrets);
  if (isSet(context.environment, 'NATTER_DEBUG')) {
    const baseUrl = parseBaseUrl(target.baseUrl, target.apiPath);
    client = logClient(client, run, (path) => maskUrl(String(endpointUrl(baseUrl, path))));
  }
  const isPrinted = apiKeyCommand !== undefined && target.baseUrl === values.baseUrl;
  return isPrinted ? explainPrintedKey(client, commandLabel(apiKeyCommand)) : client;
}

/** What a replay answers for; never requested. */
const replayTarget: Target = { baseUrl: 'http://replay.localhost', apiKey: undefined };

/** Opens the configured service, or the sandbox without a `baseUrl`. */
async function openTarget(run: Run, baseUrl: string | undefined): Promise<Target> {
  if (baseUrl !== undefined) {
    return { baseUrl, apiPath: run.settings.values.apiPath, apiKey: await serviceKey(run) };
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ clock: run.context.clock, unref: true });
  return { baseUrl: sandbox.url, apiKey: sandboxKey, close: () => sandbox.close() };
}

/** How a service is used. */
export interface ServiceUse {
  /** The network, if it is not that for single prompts. */
  readonly network?: OpenNetwork;
  /** The answers go into a file, where the notice about the sandbox would not be. */
  readonly writesFile?: boolean;
}

/**
 * Opens the recording to replay, the configured service, or the sandbox. The layers around its client have an order:
 * secrets are masked first, so that no other layer logs, learns or counts one. The window of a refused prompt is
 * learned below the meter, because a request that the budget holds back teaches nothing. Reasoning is divided from the
 * answer last: the meter counts the text as the service sent it.
 * @param source what sends its prompts, for the ledger and the limits of a run
 * @throws Failure `configuration` if none of them is available
 */
export async function openService(
  run: Run,
  source: UsageSource,
  use: ServiceUse = {},
): Promise<Service> {
  const { writesFile = false, network = nodeNetwork } = use;
  const { context, options, settings } = run;
  const { record = '', replay } = chooseRecording(options, context.environment);
  /** The clients of a run share what records or replays. */
  const recorded = async () => {
    const { openRecorder, openReplay } = await import('./recorded-service.ts');
    return (context.shared.recording ??=
      replay === undefined ? openRecorder(run, record) : Promise.resolve(openReplay(run, replay)));
  };
  const divide = (client: Client): Client =>
    settings.values.thinkTags === 'answer'
      ? client
      : { ...client, chat: (...words) => divideReasoning(client.chat(...words)) };
  const isReplay = replay !== undefined;
  const baseUrl = options.sandbox === true ? undefined : settings.values.baseUrl;
  const isSandbox = baseUrl === undefined && !isReplay;
  if (isSandbox && options.sandbox !== true) noticeSandbox(run, writesFile);
  const changes = record === '' && !isReplay ? {} : await recorded();
  if (!isSandbox && !isReplay) noticeRisks(run);
  const target = isReplay ? replayTarget : await openTarget(run, baseUrl);
  const client = openClient(run, target, { network, ...changes });
  const known = withWindow((isReplay && settings.windows) || new Map(), settings.values);
  const { windows, client: unmetered } =
    isSandbox || isReplay ? { client, windows: () => known } : learnWindows(client, run);
  // A replay sends nothing.
  const meter = isReplay ? undefined : meterClient(unmetered, run, source, isSandbox);
  const own = divide(meter?.client ?? client);
  const others = new Map<string, Promise<Service>>();
  return {
    client: own,
    clientFor: (command) => (meter === undefined ? own : divide(meter.clientFor(command))),
    async clientOf(wanted) {
      const { value: profile } = wanted.profile;
      if (isSandbox || isReplay || profile === settings.profile.value) return own;
      const other = others.get(profile) ?? openService({ ...run, settings: wanted }, source, use);
      others.set(profile, other);
      other.catch(() => others.delete(profile));
      return (await other).client;
    },
    unmetered: isReplay ? undefined : unmetered,
    windows,
    clock: changes.clock ?? context.clock,
    baseUrl: target.baseUrl,
    isSandbox,
    replayedFrom: replay?.file,
    async close() {
      for (const other of await Promise.allSettled(others.values())) {
        if (other.status === 'fulfilled') await other.value.close();
      }
      meter?.close();
      client.close();
      await target.close?.();
    },
  };
}
