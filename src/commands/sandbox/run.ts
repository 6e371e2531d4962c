import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Action, GlobalOptions, StartedRun } from '../../run.ts';
import { isLoopbackName } from '../../address.ts';
import type { Client } from '../../client/client.ts';
import { catalogue } from '../../client/contract.ts';
import { parseBaseUrl } from '../../client/http/base-url.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import type { Engine } from '../../sandbox/exchange.ts';
import { definitions } from '../../settings/definitions.ts';
import { checkProfileName } from '../../settings/profiles.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { withKey, withoutSources } from '../../settings/resolved-settings.ts';
import { parseApiKey, parseValue } from '../../settings/setting-value.ts';
import { nothingStored, readStored } from '../../settings/settings-file.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import { noticeRisks, openClient } from '../../ask/service.ts';
import { serviceKey } from '../../ask/key-command.ts';
import { keepSecrets } from '../../settings/read-settings.ts';
import { faultFromOptions } from '../../sandbox/faults/parse-fault.ts';
import { type FaultRule, parseScenario } from '../../sandbox/faults/fault-rules.ts';
import { parseRateLimit, sandboxKey } from '../../sandbox/keys.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { failureReason } from '../../storage/storage-failure.ts';

/** Options of `natter sandbox`. Fault options are further fields, with camel-case names. */
export interface SandboxOptions extends GlobalOptions {
  readonly host: string;
  readonly log?: boolean;
  readonly lenient?: boolean;
  readonly scenario?: string;
  readonly rateLimit?: string;
  /** The port of the sandbox, unparsed. */
  readonly port: string;
  readonly upstream?: string;
  readonly upstreamProfile?: string;
  /** Unparsed: `origin=llama3:8b`. */
  readonly map?: readonly string[];
  readonly [faultField: string]: unknown;
}

/** The upstream's key. The clients of the sandbox use NATTER_API_KEY. */
const keyVariable = 'NATTER_UPSTREAM_API_KEY';

const keyHint = `set the upstream's key in ${keyVariable} or in the profile`;

/** The upstream's model for each model of the contract. */
type ModelMap = Readonly<Record<string, string>>;

const ids = catalogue.map(({ id }) => id);

const mapHint = `name them: ${ids.map((id) => `--map ${id}=<model>`).join(' ')}`;

/** Parses values of `--map` such as `origin=llama3:8b`; the last one for an id wins. @throws Failure `usage` */
export function parseModelMap(texts: readonly string[]): ModelMap {
  return Object.fromEntries(
    texts.map((text) => {
      const [, id = '', model = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (ids.includes(id.trim()) && model.trim() !== '') return [id.trim(), model.trim()];
      throw new Failure('usage', `--map takes origin=<model> or nextgen=<model>, not "${text}"`);
    }),
  );
}

/**
 * Chooses a model for each one of the contract: the mapped one, else the upstream's of the same name, else its first.
 * @throws Failure if the upstream does not list a model that is needed
 */
export async function chooseModels(
  client: Client,
  mapped: ModelMap,
  notices: Notices,
  signal: AbortSignal,
): Promise<ModelMap> {
  let listed: readonly string[] | undefined;
  try {
    listed = (await client.listModels({ signal })).map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const problem = `the upstream does not list its models: ${error.message}`;
    // The upstream will refuse the key for prompts, too.
    const hint = error.kind === 'unauthorized' ? keyHint : mapHint;
    const isNeeded = ids.some((id) => mapped[id] === undefined);
    if (isNeeded) throw new Failure(error.kind, problem, { hint, cause: error });
    notices.warning(problem);
  }
  const choose = (id: string): string => {
    const model = mapped[id] ?? (listed?.includes(id) === true ? id : listed?.[0]);
    if (model === undefined) {
      throw new Failure('configuration', 'the upstream lists no models', { hint: mapHint });
    }
    if (listed?.includes(model) === false) {
      notices.warning(`the upstream does not list the model "${model}"`);
    }
    return model;
  };
  return Object.fromEntries(ids.map((id) => [id, choose(id)]));
}

const network = { network: undiciNetwork };

/** Milliseconds; the sandbox starts without the list of a slower upstream. */
const listTimeout = 10_000;

/**
 * Opens the server that `--upstream` or `--upstream-profile` names, and prints which of its models answer. Other NATTER_
 * variables are ignored, because they are for the clients of the sandbox. Without `--retries` nothing is retried, because
 * those clients retry.
 * @throws Failure for an invalid option, a profile without a base URL, or if no model can be chosen
 */
async function openUpstream(started: StartedRun<SandboxOptions>) {
  const { context, options, presentation } = started;
  const { upstream, upstreamProfile, retries = '0' } = options;
  if (upstream === undefined && upstreamProfile === undefined) {
    throw new Failure('usage', '--map needs an upstream', {
      hint: 'add --upstream <url> or --upstream-profile <name>',
    });
  }
  const profile =
    upstreamProfile && checkProfileName(upstreamProfile, '--upstream-profile', 'usage');
  const address = { label: '--upstream', kind: 'usage' } as const;
  const resolved = resolveSettings({
    flags: {
      ...options,
      profile,
      baseUrl: upstream && parseValue(definitions.baseUrl.type, upstream, address),
      retries,
      // The clients of the sandbox decide about a Retry-After of any length.
      retryMaxWait: options.retryMaxWait ?? '0',
    },
    environment: {},
    stored: profile === undefined ? nothingStored : readStored(context, presentation.notices),
  });
  const text = context.environment[keyVariable] ?? '';
  const source = { kind: 'environment', name: keyVariable } as const;
  const value = text === '' ? undefined : parseApiKey(text, keyVariable, 'configuration');
  const settings = value === undefined ? resolved : withKey(resolved, { value, source });
  const { baseUrl } = settings.values;
  if (baseUrl === undefined) {
    throw new Failure('configuration', `the profile ${profile} has no base URL`, {
      hint: `‹natter config set base-url <url> --profile ${profile}›`,
    });
  }
  const { hostname, port } = parseBaseUrl(baseUrl);
  if (isLoopbackName(hostname) && port === options.port) {
    // It would forward a request to itself forever.
    throw new Failure('usage', `the sandbox on port ${port} would be its own upstream`, {
      hint: 'choose a different --port',
    });
  }
  keepSecrets(context, settings);
  const run = { ...started, settings };
  noticeRisks(run);
  const mapped = parseModelMap(options.map ?? []);
  const { notices } = presentation;
  const { apiPath } = settings.values;
  const target = { baseUrl, apiPath, apiKey: await serviceKey(run) };
  const limited = { ...settings, values: { ...settings.values, timeout: listTimeout } };
  const lister = openClient({ ...run, settings: limited }, target, network);
  const models = await chooseModels(lister, mapped, notices, context.signal).finally(() =>
    lister.close(),
  );
  const pairs = ids.map((id) => `${id} is ${models[id]}`).join(', ');
  notices.notice(`upstream ${baseUrl}: ${pairs}`);
  const client = openClient(run, target, network);
  const params = withoutSources(settings.params);
  // Servers refuse stream options in a request without streaming; the client of the sandbox decides about that.
  const { stream_options: _streamOptions, ...wholeParams } = params;
  const engine: Engine = async function* engine(request, signal) {
    const model = models[request.model] ?? request.model;
    const fields = request.stream === true ? params : wholeParams;
    try {
      yield* client.chat({ ...request, model, params: fields }, { signal });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { kind, message } = error;
      notices.notice(`upstream: ${message}${kind === 'unauthorized' ? `; ${keyHint}` : ''}`);
      throw rephrase(error, { message: maskMessage(context.secrets, message) });
    }
  };
  return { engine, close: () => client.close() };
}

export const serveSandbox: Action<SandboxOptions> = async (run) => {
  const { context, options } = run;
  const { stdout, stderr } = context.streams;
  const logs = options.log === true;
  const port = /^\d+$/.test(options.port) ? Number(options.port) : Number.NaN;
  if (!(port <= 65_535)) {
    throw new Failure('usage', `"${options.port}" is not a port`, {
      hint: 'use a number from 0 to 65535',
    });
  }
  const { scenario: path } = options;
  const faults: FaultRule[] = [];
  if (path !== undefined) {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      const reason = failureReason(cause);
      throw new Failure('usage', `cannot read the scenario ${path}: ${reason}`, { cause });
    });
    faults.push(...parseScenario(text, path));
  }
  const fault = faultFromOptions(options);
  if (Object.keys(fault).length > 0) faults.push({ label: 'command line', when: {}, fault });
  const rateLimit = options.rateLimit === undefined ? undefined : parseRateLimit(options.rateLimit);
  const isGateway = (options.upstream ?? options.upstreamProfile ?? options.map) !== undefined;
  const upstream = isGateway ? await openUpstream(run) : undefined;
  try {
    const sandbox = await startSandbox({
      host: options.host,
      port,
      clock: context.clock,
      faults,
      lenient: options.lenient === true,
      rateLimit,
      engine: upstream?.engine,
      log: logs ? (line) => void stdout.write(`${line}\n`) : undefined,
    });
    // Standard output has JSON lines only with --log.
    if (logs) await stderr.write(`natter: listening on ${sandbox.url}\n`);
    else await stdout.write(`${sandbox.url}\n`);
    // Not a notice: it would mask the sandbox's key if that is the configured key.
    const example = `NATTER_BASE_URL=${sandbox.url} NATTER_API_KEY=${sandboxKey} natter "hi"`;
    const other = `natter: base URL for other programs: ${sandbox.url}/v1, key: ${sandboxKey}`;
    if (options.quiet !== true) await stderr.write(`natter: try it: ${example}\n${other}\n`);
    if (!context.signal.aborted) await once(context.signal, 'abort');
    await sandbox.close();
  } finally {
    upstream?.close();
  }
  context.signal.throwIfAborted();
};
