import { addsApiPath, usualApiPath } from '../../client/http/base-url.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Resolved, ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { openService } from '../service/service.ts';

function describeModels(records: readonly ModelRecord[]): string {
  if (records.length === 0) return 'it lists no models';
  const ids = records.map((record) => record.id);
  const shown = ids.slice(0, 5).join(', ');
  return `it offers ${shown}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`;
}

export interface ServiceCheck {
  /** A predicate for the base URL: `answered: it offers origin`. */
  readonly result: string;
  readonly models: readonly ModelRecord[];
  /** That of the API, where it is not the one that natter assumes. */
  readonly apiPath?: string;
}

/** How to change the current model if the service does not list it. */
export function modelHint(
  models: readonly ModelRecord[],
  model: string,
  profile: Resolved<string>,
): string | undefined {
  const ids = models.map(({ id }) => id);
  if (ids.length === 0 || model === 'auto' || ids.includes(model)) return undefined;
  // Users paste this command into a shell, and the id is from the service.
  const id = ids.find((known) => /^[\w./:@+][\w./:@+-]*$/.test(known)) ?? '<id>';
  const flag = profile.source.kind === 'flag' ? ` --profile ${profile.value}` : '';
  return `${model}, the current model, is not one of them: natter config set model ${id}${flag}`;
}

const withoutModels: ServiceCheck = {
  result: 'is reachable but lists no models, so the key was not checked',
  models: [],
};

/** Uses the service of the settings, without the ledger and the budget. */
async function withClient<Result>(
  [context, presentation, options, settings]: Parameters<typeof checkService>,
  use: (client: Client, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const source = { command: 'auth' };
  const service = await openService(context, presentation, options, settings, source);
  try {
    return await use(service.unmetered ?? service.client, context.signal);
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
export async function checkService(
  context: Context,
  presentation: Presentation,
  options: GlobalOptions,
  settings: ResolvedSettings,
): Promise<ServiceCheck> {
  const found = await withClient([context, presentation, options, settings], listModels);
  return found ?? withoutModels;
}

/** Checks the service, and finds out the path of its API if that is not set: with `/v1`, or as given. @throws Failure */
export async function findApi(
  context: Context,
  presentation: Presentation,
  options: GlobalOptions,
  settings: ResolvedSettings,
): Promise<ServiceCheck> {
  const { baseUrl, apiPath: known } = settings.values;
  const usual = [context, presentation, options, settings] as const;
  const found = await withClient([...usual], listModels);
  if (found !== undefined || known !== undefined || baseUrl === undefined) {
    return found ?? withoutModels;
  }
  const apiPath = addsApiPath(baseUrl, known) ? '/' : usualApiPath;
  const changed = { ...settings, values: { ...settings.values, apiPath } };
  const other = [context, presentation, options, changed] as const;
  const foundThere = await withClient([...other], listModels);
  if (foundThere !== undefined) return { ...foundThere, apiPath };
  const isOther =
    !(await withClient([...usual], hasChat)) && (await withClient([...other], hasChat));
  return isOther ? { ...withoutModels, apiPath } : withoutModels;
}

/** Rethrows the failure of a check; a refusal of the key names the address, and what to correct. */
export const throwRefusal = (baseUrl: string, hadKey: boolean) => (error: unknown) => {
  const isRefusal = error instanceof Failure && /^(?:unauthorized|forbidden)$/.test(error.kind);
  if (!isRefusal) throw error;
  throw rephrase(error, {
    message: error.message.replace(/^[^(]*(?=\(40[13]\))/, `${baseUrl} refused the key `),
    hint: `${hadKey ? 'the stored key is kept' : 'nothing was stored'}; check the key with its issuer, or correct the address: natter auth login --base-url <url>`,
  });
};
