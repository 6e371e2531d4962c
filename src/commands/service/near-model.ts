import { catalogue } from '../../client/contract.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import type { ModelWindows } from '../../conversation/context-fit.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';

/**
 * The failure with a hint that names the model that a mistyped one almost matches, or `natter compare` for several models; anything else unchanged.
 * @param windows has the models that the service reported
 */
export function suggestModel(error: unknown, model: string, windows: ModelWindows): unknown {
  if (!(error instanceof Failure)) return error;
  const isRefused = error.kind === 'invalid_request' && error.message.includes(model);
  if (error.kind !== 'not_found' && !isRefused) return error;
  if (model.includes(',')) {
    // A user may paste the command.
    const models = /^[\w.:,/-]+$/.test(model) ? model : '…';
    return rephrase(error, { hint: `natter compare -m ${models} asks each of them` });
  }
  const near = nearlyNamed(model, [...windows.keys(), ...catalogue.map(({ id }) => id)]);
  if (near === undefined) return error;
  const hint = `did you mean -m ${near}? natter models list shows the available models`;
  return rephrase(error, { hint });
}
