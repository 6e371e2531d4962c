import type { AnswerCheck, CheckOptions } from '../../ask/check.ts';
import { catalogue } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { AnswerFormat, FormatOptions } from '../../output/answer-printer.ts';
import { silentNotices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Run } from '../../run.ts';
import type { ConversationOptions } from '../../ask/open-conversation.ts';
import type { PromptOptions } from '../../input/read-prompt.ts';
import type { SecretGuard } from '../../input/secret-guard.ts';
import { type NamedModel, parseModel, settingsOf } from '../../settings/named-model.ts';
import { openService } from '../../ask/service.ts';
import { readStored } from '../../settings/read-settings.ts';

/** Options of `natter compare`. */
export interface CompareOptions
  extends PromptOptions, ConversationOptions, CheckOptions, FormatOptions {
  /** Comma-separated lists. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
}

export interface Comparison extends Run<CompareOptions> {
  readonly models: readonly (NamedModel & { readonly settings: ResolvedSettings })[];
  readonly prompt: string;
  readonly format: AnswerFormat;
  /** Undefined if the answers are not checked. */
  readonly check: AnswerCheck | undefined;
  /** Undefined if nothing in the prompt is checked for secrets. */
  readonly guard: SecretGuard | undefined;
}

/** The label of a repeated model has a number. @throws Failure `usage` for fewer than two models, or an unknown profile */
export function parseModels(
  lists: readonly string[],
  profiles: readonly string[] | undefined,
): readonly NamedModel[] {
  const names = lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length < 2) {
    throw new Failure('usage', 'a comparison needs at least two models', {
      hint: 'separate them by commas, as in: ‹natter compare -m origin,nextgen …›',
    });
  }
  return names.map((name, index) => {
    const repeats = names.slice(0, index).filter((other) => other === name).length;
    const label = repeats === 0 ? name : `${name} (${repeats + 1})`;
    return { ...parseModel(name, profiles, 'usage'), label };
  });
}

/**
 * With `--sandbox`, profiles are ignored.
 * @param usual the models without `--models`
 * @throws Failure for fewer than two models, an invalid value or an unreadable file
 */
export function readComparedModels(
  { context, options }: Run<CompareOptions>,
  usual: readonly NamedModel[],
) {
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const models = options.models === undefined ? usual : parseModels(options.models, profiles);
  return models.map((named) => {
    return { ...named, settings: settingsOf(context, options, named, stored) };
  });
}

/** The ids of the service's models; the published ones if it has no list, and the model in use is one of them. @throws Failure */
async function listModels(run: Run<CompareOptions>): Promise<readonly string[]> {
  const published = catalogue.map(({ id }) => id);
  if (run.options.dryRun === true) return published;
  const service = await openService(run, { command: 'compare' });
  try {
    const records = await service.client.listModels({ signal: run.context.signal });
    return records.map(({ id }) => id);
  } catch (error) {
    if (error instanceof Failure && published.includes(run.settings.values.model)) return published;
    throw error;
  } finally {
    await service.close();
  }
}

/**
 * The model in use and another one of the service's list. If nobody chose a model, and the service does not have the
 * default one: the first two of the list.
 * @throws Failure `usage` if the service lists no other model
 */
export async function defaultModels(run: Run<CompareOptions>): Promise<readonly NamedModel[]> {
  const { values, sources } = run.settings;
  const { model } = values;
  const listed = await listModels(run);
  const isDefault = sources.model.kind === 'default' && !listed.includes(model);
  const first = model === 'auto' || isDefault ? listed[0] : model;
  const other = listed.find((id) => id !== first);
  if (first !== undefined && other !== undefined) {
    return [first, other].map((id) => ({ label: id, profile: undefined, model: id }));
  }
  const known = first ?? model;
  throw new Failure('usage', `there is no second model to compare ${known} with`, {
    hint: `name both: ‹natter compare -m ${known},OTHER …›`,
  });
}
