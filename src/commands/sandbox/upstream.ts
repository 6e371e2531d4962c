import type { Client } from '../../client/client.ts';
import { catalogue, type CompletionRequest } from '../../client/contract.ts';
import { undiciNetwork } from '../../client/http/undici-network.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import type { Engine } from '../../sandbox/engine.ts';
import { withoutSources } from '../../settings/resolved-settings.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import { openClient, serviceKey, type Target } from '../service/service.ts';
import {
  keyHint,
  type UpstreamOptions,
  type UpstreamSettings,
  upstreamSettings,
} from './upstream-settings.ts';

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

type Output = Pick<Presentation, 'notices' | 'debugLog'>;

interface EngineParts {
  readonly client: Client;
  readonly models: ModelMap;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mask: (text: string) => string;
  readonly reportFailure: (failure: Failure) => void;
}

async function targetOf(context: Context, settings: UpstreamSettings): Promise<Target> {
  const { baseUrl, apiPath } = settings.values;
  return { baseUrl, apiPath, apiKey: await serviceKey(context, settings) };
}

function createEngine(parts: EngineParts): Engine {
  const { client, models, params, mask, reportFailure } = parts;
  // Servers refuse stream options in a request without streaming; the client of the sandbox decides about that.
  const { stream_options: _streamOptions, ...wholeParams } = params;
  function upstreamRequest(request: CompletionRequest): CompletionRequest {
    return {
      ...request,
      model: models[request.model] ?? request.model,
      params: request.stream === true ? params : wholeParams,
    };
  }
  function reported(error: unknown): unknown {
    if (!(error instanceof Failure)) return error;
    reportFailure(error);
    const { kind, message, status, retryAfterSeconds } = error;
    return new Failure(kind, mask(message), {
      cause: error,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
  return async function* forward(request, signal) {
    try {
      yield* client.chat(upstreamRequest(request), { signal });
    } catch (error) {
      throw reported(error);
    }
  };
}

const network = { network: undiciNetwork };

/** Milliseconds; the sandbox starts without the list of a slower upstream. */
const listTimeout = 10_000;

async function findModels(
  context: Context,
  { notices, debugLog }: Output,
  settings: UpstreamSettings,
  target: Target,
  mapped: ModelMap,
): Promise<ModelMap> {
  const { values } = settings;
  const limited = { ...settings, values: { ...values, timeout: listTimeout } };
  const client = await openClient(context, debugLog, limited, target, network);
  try {
    const models = await chooseModels(client, mapped, notices, context.signal);
    const pairs = catalogue.map(({ id }) => `${id} is ${models[id]}`).join(', ');
    notices.notice(`upstream ${values.baseUrl}: ${pairs}`);
    return models;
  } finally {
    client.close();
  }
}

/**
 * Opens the server that `--upstream` or `--upstream-profile` names, and prints which of its models answer.
 * @throws Failure for an invalid option, or if no model can be chosen
 */
export async function openUpstream(
  context: Context,
  output: Output,
  options: UpstreamOptions,
): Promise<Upstream> {
  const { notices, debugLog } = output;
  const mapped = parseModelMap(options.map ?? []);
  const settings = upstreamSettings(context, notices, options);
  const target = await targetOf(context, settings);
  const models = await findModels(context, output, settings, target, mapped);
  const client = await openClient(context, debugLog, settings, target, network);
  const engine = createEngine({
    client,
    models,
    params: withoutSources(settings.params),
    mask: (text) => maskMessage(context.secrets, text),
    // The client's own hints are for users of natter, not for the operator of the sandbox.
    reportFailure: ({ kind, message }) =>
      notices.notice(`upstream: ${message}${kind === 'unauthorized' ? `; ${keyHint}` : ''}`),
  });
  return { engine, close: () => client.close() };
}
