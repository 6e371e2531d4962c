import type { Client } from '../../client/client.ts';
import { catalogue } from '../../client/contract.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import type { Engine } from '../../sandbox/exchange.ts';
import { withoutSources } from '../../settings/resolved-settings.ts';
import type { Presentation, Context } from '../../run.ts';
import { maskMessage } from '../../secrets/secrets.ts';
import { openClient } from '../../ask/service.ts';
import { serviceKey } from '../../ask/key-command.ts';
import { keyHint, type UpstreamOptions, upstreamSettings } from './upstream-settings.ts';

/** The upstream's model for each model of the contract. */
export type ModelMap = Readonly<Record<string, string>>;

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

/** Undefined if the upstream does not list its models. @throws Failure in that case if the list `isNeeded` */
async function listIds(
  client: Client,
  isNeeded: boolean,
  notices: Notices,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    return (await client.listModels({ signal })).map(({ id }) => id);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const problem = `the upstream does not list its models: ${error.message}`;
    // The upstream will refuse the key for prompts, too.
    const hint = error.kind === 'unauthorized' ? keyHint : mapHint;
    if (isNeeded) throw new Failure(error.kind, problem, { hint, cause: error });
    notices.warning(problem);
    return undefined;
  }
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
  const isNeeded = ids.some((id) => mapped[id] === undefined);
  const listed = await listIds(client, isNeeded, notices, signal);
  const [first] = listed ?? [];
  return Object.fromEntries(
    ids.map((id) => {
      const model = mapped[id] ?? (listed?.includes(id) === true ? id : first);
      if (model === undefined) {
        throw new Failure('configuration', 'the upstream lists no models', { hint: mapHint });
      }
      if (listed?.includes(model) === false) {
        notices.warning(`the upstream does not list the model "${model}"`);
      }
      return [id, model];
    }),
  );
}

export interface Upstream {
  readonly engine: Engine;
  close(): void;
}

const network = { network: undiciNetwork };

/** Milliseconds; the sandbox starts without the list of a slower upstream. */
const listTimeout = 10_000;

/**
 * Opens the server that `--upstream` or `--upstream-profile` names, and prints which of its models answer.
 * @throws Failure for an invalid option, or if no model can be chosen
 */
export async function openUpstream(
  context: Context,
  presentation: Presentation,
  options: UpstreamOptions,
): Promise<Upstream> {
  const mapped = parseModelMap(options.map ?? []);
  const { notices } = presentation;
  const { run, baseUrl } = upstreamSettings(context, presentation, options);
  const { settings } = run;
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

  /** Without hints, which are for users of natter, not for the operator of the sandbox. */
  function report({ kind, message, status, retryAfterSeconds }: Failure): Failure {
    notices.notice(`upstream: ${message}${kind === 'unauthorized' ? `; ${keyHint}` : ''}`);
    return new Failure(kind, maskMessage(context.secrets, message), {
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }

  return {
    async *engine(request, signal) {
      const model = models[request.model] ?? request.model;
      const fields = request.stream === true ? params : wholeParams;
      try {
        yield* client.chat({ ...request, model, params: fields }, { signal });
      } catch (error) {
        throw error instanceof Failure ? report(error) : error;
      }
    },
    close: () => client.close(),
  };
}
