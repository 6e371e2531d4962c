import type { ParameterChanges } from '../../conversation/tree.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';

/** The parameters of the settings with the changes of a conversation. */
export function changedParams(
  params: ResolvedSettings['params'],
  changes: ParameterChanges | undefined,
): ResolvedSettings['params'] {
  if (changes === undefined) return params;
  const kept = Object.entries(params).filter(([name]) => !changes.removed.includes(name));
  const source = { kind: 'conversation', name: '/param' } as const;
  const set = Object.entries(changes.set).map(
    ([name, value]) => [name, { value, source }] as const,
  );
  return Object.fromEntries([...kept, ...set]);
}

/** The changes of a conversation, without the parameters that an option of this run sets. */
export function resumedChanges(
  params: ResolvedSettings['params'],
  changes: ParameterChanges | undefined,
): ParameterChanges | undefined {
  if (changes === undefined) return undefined;
  const isOption = (name: string) => params[name]?.source.kind === 'flag';
  return {
    set: Object.fromEntries(Object.entries(changes.set).filter(([name]) => !isOption(name))),
    removed: changes.removed.filter((name) => !isOption(name)),
  };
}
