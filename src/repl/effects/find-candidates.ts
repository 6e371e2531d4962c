import { catalogue } from '../../client/contract.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import type { SessionCore } from '../session/session-core.ts';
import type { ArgumentSource } from '../slash-commands/slash-command.ts';
import { findCommand, slashCommands } from '../slash-commands/table.ts';
import { themeNames } from '../text/themes.ts';

function commands(): readonly Candidate[] {
  return slashCommands.map(({ name, summary }) => ({ value: name, summary }));
}

function models(core: SessionCore): readonly Candidate[] {
  const published = catalogue.map(({ id, purpose }) => ({ value: id, summary: purpose }));
  const known = new Set(published.map(({ value }) => value));
  const listed = core.state().knownModels.filter((id) => !known.has(id));
  return [
    ...published,
    ...listed.map((value) => ({ value })),
    { value: 'auto', summary: 'the smallest model whose window fits' },
  ];
}

const sources: Readonly<Record<ArgumentSource, (core: SessionCore) => readonly Candidate[]>> = {
  models,
  commands,
  conversations: ({ ports }) => ports.library.names(),
  themes: () => themeNames.map((value) => ({ value })),
  files: () => [],
  none: () => [],
};

/** Completions at the caret; empty if they cannot be read, such as for a missing folder. */
export function findCandidates(
  core: SessionCore,
  request: CompletionRequest,
): readonly Candidate[] {
  if (request.kind === 'command') return commands();
  if (request.kind === 'path') return core.ports.files.candidates(request.folder ?? '');
  return sources[findCommand(request.command ?? '')?.completes ?? 'none'](core);
}
