import type { Client } from '../../client/client.ts';
import { catalogue } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { keyAdvice } from './upstream-settings.ts';

/** The upstream's model id for each id of the contract. */
export type ModelMap = Readonly<Record<string, string>>;

const ids = catalogue.map(({ id }) => id);

const hint = `name them: ${ids.map((id) => `--map ${id}=<model>`).join(' ')}`;

/**
 * Reads what `--map` was given: `origin=llama3:8b`; the last one of an id counts.
 * @throws Failure `usage`
 */
export function parseModelMap(texts: readonly string[]): ModelMap {
  return Object.fromEntries(
    texts.map((text) => {
      const [, id = '', model = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (ids.includes(id.trim()) && model.trim() !== '') return [id.trim(), model.trim()];
      throw new Failure('usage', `--map takes origin=<model> or nextgen=<model>, not "${text}"`);
    }),
  );
}

/** Undefined where the upstream does not tell its models, which matters only if some must be found. */
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
    // A key that is refused for the list is refused for prompts as well.
    const advice = error.kind === 'unauthorized' ? keyAdvice : hint;
    if (isNeeded) throw new Failure(error.kind, problem, { hint: advice, cause: error });
    notices.warning(problem);
    return undefined;
  }
}

/**
 * Finds the model for each id of the contract: the mapped one, else the upstream's own of that name, else its first.
 * @throws Failure where the upstream does not answer or lists no model
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
        throw new Failure('configuration', 'the upstream lists no models', { hint });
      }
      if (listed?.includes(model) === false) {
        notices.warning(`the upstream does not list the model "${model}"`);
      }
      return [id, model];
    }),
  );
}
