import type { Client } from '../../client/client.ts';
import { catalogue, type CompletionRequest } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { Failure } from '../../failure.ts';
import type { Engine } from '../../sandbox/engine.ts';
import { withoutSources } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import type { Presentation } from '../print/presentation.ts';
import type { SandboxCommandOptions } from './options.ts';
import { openClient, type Target } from '../service/service.ts';
import { chooseModels, type ModelMap, parseModelMap } from './upstream-models.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import { keyAdvice, type UpstreamSettings, upstreamSettings } from './upstream-settings.ts';

/** A server behind the sandbox, reached with natter's own client. */
export interface Upstream {
  readonly engine: Engine;
  close(): void;
}

type Talk = Pick<Presentation, 'notices' | 'debugLog'>;

interface EngineParts {
  readonly client: Client;
  readonly models: ModelMap;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mask: (text: string) => string;
  readonly reportFailure: (failure: Failure) => void;
}

function targetOf({ values, apiKey }: UpstreamSettings): Target {
  return { baseUrl: values.baseUrl, apiKey: apiKey?.value };
}

function createEngine({ client, models, params, mask, reportFailure }: EngineParts): Engine {
  // Servers refuse stream options without a stream, which here is the client's to choose.
  const { stream_options: _ofStreams, ...paramsOfWhole } = params;
  return async function* ask(
    request: CompletionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent, void, undefined> {
    const model = models[request.model] ?? request.model;
    const added = request.stream === true ? params : paramsOfWhole;
    try {
      yield* client.chat({ ...request, model, params: added }, { signal });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      reportFailure(error);
      const { kind, message, status, retryAfterSeconds } = error;
      throw new Failure(kind, mask(message), {
        cause: error,
        ...(status === undefined ? {} : { status }),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
  };
}

/** Milliseconds; a server that is slower to name its models must not keep the sandbox from starting. */
const listPatience = 10_000;

/** Finds the models that answer, and tells which. */
async function findModels(
  context: Context,
  { notices, debugLog }: Talk,
  settings: UpstreamSettings,
  mapped: ModelMap,
): Promise<ModelMap> {
  const { values } = settings;
  const patient = { ...settings, values: { ...values, timeout: listPatience } };
  const client = await openClient(context, debugLog, patient, targetOf(settings));
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
 * Opens the server that `--upstream` or `--upstream-profile` names, and tells which of its models answer.
 * @throws Failure where it is told wrongly, or no model of it can be found
 */
export async function openUpstream(
  context: Context,
  talk: Talk,
  options: SandboxCommandOptions,
): Promise<Upstream> {
  const { notices, debugLog } = talk;
  const mapped = parseModelMap(options.map ?? []);
  const settings = upstreamSettings(context, notices, options);
  const models = await findModels(context, talk, settings, mapped);
  const client = await openClient(context, debugLog, settings, targetOf(settings));
  const engine = createEngine({
    client,
    models,
    params: withoutSources(settings.params),
    mask: (text) => maskMessage(context.secrets, text),
    // The client's hints speak to somebody who asks, not to whoever runs the sandbox.
    reportFailure: ({ kind, message }) =>
      notices.notice(`upstream: ${message}${kind === 'unauthorized' ? `; ${keyAdvice}` : ''}`),
  });
  return { engine, close: () => client.close() };
}
