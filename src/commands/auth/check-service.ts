import { guessesApiPath, usualApiPath } from '../../client/http/base-url.ts';
import { rephrase } from '../../client/failure/change-failure.ts';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Resolved } from '../../settings/resolved-settings.ts';
import type { Run } from '../../run.ts';
import { openService } from '../../ask/service.ts';

/** `origin, nextgen and 3 more`; undefined without a model. */
export function firstModels(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined;
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '');
}

function describeModels(records: readonly ModelRecord[]): string {
  const shown = firstModels(records.map(({ id }) => id));
  return shown === undefined ? 'it lists no models' : `it offers ${shown}`;
}

export interface ServiceCheck {
  /** A predicate for the base URL: `answered: it offers origin`. */
  readonly result: string;
  readonly models: readonly ModelRecord[];
  /** That of the API, where it is not the one that natter assumes. */
  readonly apiPath?: string;
}

/** A model for a hint: users paste it into a shell, and the ids are from the service. */
export function modelToSet(ids: readonly string[]): string {
  return ids.find((known) => /^[\w./:@+][\w./:@+-]*$/.test(known)) ?? '<id>';
}

/** How to change the current model if the service does not list it. */
export function modelHint(
  models: readonly ModelRecord[],
  model: string,
  profile: Resolved<string>,
): string | undefined {
  const ids = models.map(({ id }) => id);
  if (ids.length === 0 || model === 'auto' || ids.includes(model)) return undefined;
  const flag = profile.source.kind === 'flag' ? ` --profile ${profile.value}` : '';
  return `${model}, the current model, is not one of them: ‹natter config set model ${modelToSet(ids)}${flag}›`;
}

const withoutModels: ServiceCheck = {
  result: 'is reachable but lists no models, so the key was not checked',
  models: [],
};

/** Uses the service, without the ledger and the budget. */
async function withClient<Result>(
  run: Run,
  use: (client: Client, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const service = await openService(run, { command: 'auth' });
  try {
    return await use(service.unmetered ?? service.client, run.context.signal);
  } finally {
    await service.close();
  }
}

async function listModels(client: Client, signal: AbortSignal): Promise<ServiceCheck | undefined> {
  try {
    const models = await client.listModels({ signal });
    return { result: `answered: ${describeModels(models)}`, models };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** Whether a prompt without messages is refused by an API, which knows the address. */
async function hasChat(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _event of client.chat({ model: 'none', messages: [] }, { signal })) break;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Failure && error.status !== undefined && error.status !== 404;
  }
}

/**
 * Lists the models of the service. A server without such a list is accepted, but the result mentions it.
 * @throws Failure
 */
export async function checkService(run: Run): Promise<ServiceCheck> {
  return (await withClient(run, listModels)) ?? withoutModels;
}

/** Checks the service, and finds out the path of its API if that is not set: with `/v1`, or as given. @throws Failure */
export async function findApi(run: Run): Promise<ServiceCheck> {
  const { values } = run.settings;
  const { baseUrl, apiPath: known } = values;
  const found = await withClient(run, listModels);
  if (found !== undefined || known !== undefined || baseUrl === undefined) {
    return found ?? withoutModels;
  }
  const apiPath = guessesApiPath(baseUrl, known) ? '/' : usualApiPath;
  const other = { ...run, settings: { ...run.settings, values: { ...values, apiPath } } };
  const foundThere = await withClient(other, listModels);
  if (foundThere !== undefined) return { ...foundThere, apiPath };
  const isOther = !(await withClient(run, hasChat)) && (await withClient(other, hasChat));
  return isOther ? { ...withoutModels, apiPath } : withoutModels;
}

/** Rethrows the failure of a check; a refusal of the key names the address, and what to correct. */
export const throwRefusal = (baseUrl: string, hadKey: boolean) => (error: unknown) => {
  const isRefusal = error instanceof Failure && /^(?:unauthorized|forbidden)$/.test(error.kind);
  if (!isRefusal) throw error;
  throw rephrase(error, {
    message: error.message.replace(/^[^(]*(?=\(40[13]\))/, `${baseUrl} refused the key `),
    hint: `${hadKey ? 'the stored key is kept' : 'nothing was stored'}; check the key with its issuer, or correct the address: ‹natter auth login --base-url <url>›`,
  });
};
