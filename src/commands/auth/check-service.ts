import { rephrase } from '../../client/failure/request-failure.ts';
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
  const source = { command: 'auth' };
  const service = await openService(context, presentation, options, settings, source);
  try {
    const models = await service.client.listModels({ signal: context.signal });
    return { result: `answered: ${describeModels(models)}`, models };
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') {
      const result = 'is reachable but lists no models, so the key was not checked';
      return { result, models: [] };
    }
    throw error;
  } finally {
    await service.close();
  }
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
