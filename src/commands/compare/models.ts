import type { AnswerCheck, CheckOptions } from '../../ask/check.ts';
import { catalogue } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { AnswerFormat } from '../../output/answer-printer.ts';
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

export interface ComparedModel extends NamedModel {
  readonly settings: ResolvedSettings;
}

/** Options of `natter compare`. */
export interface CompareOptions extends PromptOptions, ConversationOptions, CheckOptions {
  /** Comma-separated lists. */
  readonly models?: readonly string[];
  readonly diff?: boolean;
  readonly stacked?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
  readonly jsonl?: boolean;
}

export interface Comparison extends Run<CompareOptions> {
  readonly models: readonly ComparedModel[];
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
): readonly ComparedModel[] {
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const models = options.models === undefined ? usual : parseModels(options.models, profiles);
  return models.map((named) => {
    return { ...named, settings: settingsOf(context, options, named, stored) };
  });
}

async function listModels(run: Run<CompareOptions>): Promise<readonly string[]> {
  const service = await openService(run, { command: 'compare' });
  try {
    const records = await service.client.listModels({ signal: run.context.signal });
    return records.map(({ id }) => id);
  } finally {
    await service.close();
  }
}

/**
 * The configured model and another one of the service's list. A model of the contract is compared with the other one,
 * without a request.
 * @throws Failure `usage` if the service lists no other model
 */
export async function defaultModels(run: Run<CompareOptions>): Promise<readonly NamedModel[]> {
  const { model } = run.settings.values;
  const published = catalogue.map(({ id }) => id);
  const named = (id: string) => ({ label: id, profile: undefined, model: id });
  if (model === 'auto') return published.map(named);
  const known = published.includes(model) ? published : undefined;
  const listed = known ?? (run.options.dryRun === true ? [] : await listModels(run));
  const other = listed.find((id) => id !== model);
  if (other !== undefined) return [model, other].map(named);
  throw new Failure('usage', `there is no second model to compare ${model} with`, {
    hint: `name both: ‹natter compare -m ${model},OTHER …›`,
  });
}
