import { withHint } from '../../cli/report.ts';
import { guessesApiPath, parseBaseUrl, usualApiPath } from '../../client/http/base-url.ts';
import { detailsOf, rephrase } from '../../client/failure/change-failure.ts';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Run } from '../../run.ts';
import { openService, type Service } from '../../ask/service.ts';

/** `origin, nextgen and 3 more`; undefined without a model. */
export function firstModels(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined;
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '');
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

/** Prints the result of a check, and how to change the current model if the service does not list it. */
export function noticeCheck(
  { presentation: { notices }, settings: { values, profile } }: Run,
  address: string,
  { result, models }: ServiceCheck,
): void {
  notices.notice(`${address} ${result}`);
  const { model } = values;
  const ids = models.map(({ id }) => id);
  if (ids.length === 0 || model === 'auto' || ids.includes(model)) return;
  const flag = profile.source.kind === 'flag' ? ` --profile ${profile.value}` : '';
  notices.notice(
    `${model}, the current model, is not one of them: ‹natter config set model ${modelToSet(ids)}${flag}›`,
  );
}

/** A prompt without messages, which an API refuses, or answers with a token. */
const emptyPrompt = { model: 'none', messages: [], stream: true, max_tokens: 1 };

/** How a server refuses a prompt that is no API: a web site takes no POST requests. */
const siteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether there is an API, by its answer to a prompt. @throws Failure for a refused key */
async function hasChat(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _event of client.chat(emptyPrompt, { signal })) break;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) return false;
    if (error.kind === 'unauthorized') throw error;
    const isUnknownModel = error.remedy?.code === 'choose-model';
    return isUnknownModel || (error.status !== undefined && !siteStatuses.has(error.status));
  }
}

/** Checks the API of a client, and whether it takes the client's key; undefined if there is no API. @throws Failure */
export async function checkApi(
  { unmetered, client: metered }: Service,
  hasKey: boolean,
  signal: AbortSignal,
): Promise<ServiceCheck | undefined> {
  const client = unmetered ?? metered;
  const models = await client.listModels({ signal }).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  });
  // Some services list their models for any key, so that only a prompt shows whether the key is right.
  const hasApi = models !== undefined && !hasKey ? true : await hasChat(client, signal);
  if (models === undefined) {
    return hasApi ? { result: 'answered, but lists no models', models: [] } : undefined;
  }
  const shown = firstModels(models.map(({ id }) => id));
  const offer = shown === undefined ? 'it lists no models' : `it offers ${shown}`;
  return { result: `answered: ${offer}`, models };
}

/** Checks the API at one path; undefined if there is none. @throws Failure */
async function examine(run: Run): Promise<ServiceCheck | undefined> {
  const { apiKey, apiKeyCommand } = run.settings;
  const service = await openService(run, { command: 'auth' });
  try {
    const hasKey = apiKey !== undefined || apiKeyCommand !== undefined;
    return await checkApi(service, hasKey, run.context.signal);
  } finally {
    await service.close();
  }
}

/**
 * Checks address and key of the service. A server without an API at that address is accepted, but the result mentions it.
 */
export async function checkService(run: Run): Promise<ServiceCheck> {
  const result = 'is reachable, but natter found no API there, so the key was not checked';
  return (await examine(run)) ?? { result, models: [] };
}

/**
 * Checks the service, and finds out the path of its API if that is not set: with `/v1`, or as given.
 * @throws Failure `not_found` if there is no API
 */
export async function findApi(run: Run): Promise<ServiceCheck> {
  const { values } = run.settings;
  const { baseUrl = '', apiPath: known } = values;
  const found = await examine(run);
  if (found !== undefined) return found;
  const tried = [parseBaseUrl(baseUrl, known).href];
  if (known === undefined) {
    const apiPath = guessesApiPath(baseUrl, known) ? '/' : usualApiPath;
    const other = { ...run, settings: { ...run.settings, values: { ...values, apiPath } } };
    const foundThere = await examine(other);
    if (foundThere !== undefined) return { ...foundThere, apiPath };
    tried.push(parseBaseUrl(baseUrl, apiPath).href);
  }
  const message = `${baseUrl} is reachable, but natter found no API at ${tried.join(' or ')}`;
  throw new Failure('not_found', message, {
    hint: 'nothing was stored; correct the address, or store it unchecked: ‹natter auth login --no-check›',
  });
}

/** Rethrows the failure of a check; a refusal of the key names the address, and what to correct. */
export const throwRefusal = (baseUrl: string, hadKey: boolean) => (error: unknown) => {
  const isRefusal = error instanceof Failure && /^(?:unauthorized|forbidden)$/.test(error.kind);
  if (!isRefusal) throw error;
  throw rephrase(error, {
    message: error.message.replace(/^[^(]*(?=\(40[013]\))/, `${baseUrl} refused the key `),
    hint: `${hadKey ? 'the stored key is kept' : 'nothing was stored'}; check the key with its issuer, or correct the address: ‹natter auth login --base-url <url>›`,
  });
};

/** What helps if no server answers at an address, or one that is no API. */
const addressRemedies = /^(?:start-server|check-host|check-connection|check-base-url)$/;

/** Whether a different address may help after a check of the service. */
export const mayBeWrongAddress = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'not_found' || addressRemedies.test(error.remedy?.code ?? ''));

/** Rethrows the failure of a login; if there is no service, with the advice to log in again. */
export function throwWithoutService(error: unknown): never {
  if (!(error instanceof Failure) || error.kind === 'not_found') throw error;
  if (error.kind !== 'unreachable' && !mayBeWrongAddress(error)) throw error;
  // The remedy is left out, because its advice stores the address without the key.
  const { remedy: _remedy, ...details } = detailsOf(error);
  const advice = mayBeWrongAddress(error)
    ? 'start the server, or correct the address'
    : (withHint(error).markedHint ?? 'check the network');
  const hint = `nothing was stored; ${advice}; then run the same login again`;
  throw new Failure(error.kind, error.message, { ...details, hint });
}
