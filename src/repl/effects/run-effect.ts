import { catalogue } from '../../client/contract.ts';
import type { Candidate, CompletionRequest } from '../editing/completion.ts';
import { notice } from '../state/entry.ts';
import type { Effect } from '../state/effect.ts';
import {
  failureText,
  Stopped,
  dispatchConversation,
  type SessionCore,
} from '../session/session-core.ts';
import type { ArgumentSource } from '../slash-commands/slash-command.ts';
import { commandCandidates, findCommand } from '../slash-commands/table.ts';
import { themeNames } from '../../terminal/themes.ts';
import { wrapModes } from '../text/wrap-modes.ts';
import { runSend } from './send-prompt.ts';
import type { ListEffect } from './list-effects.ts';
import { entriesFrom } from './show-conversation.ts';
import {
  runAttach,
  runConnect,
  runCopy,
  runFindServers,
  runListConversations,
  runListModels,
  runNewConversation,
  runResume,
  runSave,
  runSaveJournal,
} from './task-effects.ts';

export type EffectRunners = {
  readonly [Type in Effect['type']]: (
    core: SessionCore,
    effect: Extract<Effect, { readonly type: Type }>,
  ) => Promise<void> | void;
};

/** Selects a turn and its ancestors, then prints the conversation from there. */
function selectVersion(core: SessionCore, turnId: string): Promise<void> {
  const journal = core.journal();
  const { turns, selection } = journal.conversation();
  for (let turn = turns.get(turnId); turn !== undefined; turn = turns.get(turn.parent ?? '')) {
    if (selection.get(turn.parent) !== turn.id) journal.select(turn.id);
  }
  dispatchConversation(core);
  return core.transcript.print(entriesFrom(journal.conversation(), turnId));
}

function undo(core: SessionCore, turnId: string): void {
  core.journal().undo(turnId);
  dispatchConversation(core);
}

function rename(core: SessionCore, title: string): Promise<void> {
  core.journal().setTitle(title);
  dispatchConversation(core);
  return core.transcript.print([notice(`the title is now ${title}`)]);
}

async function editExternally(core: SessionCore, text: string): Promise<void> {
  const { ports, screen } = core;
  core.dispatch({ type: 'editor-closed', text: await screen.lend(() => ports.edit(text)) });
}

type CandidateSource = Pick<SessionCore, 'ports' | 'state'>;

function modelCandidates(core: CandidateSource): readonly Candidate[] {
  const published = catalogue.map(({ id, purpose }) => ({ value: id, summary: purpose }));
  const known = new Set(published.map(({ value }) => value));
  const listed = core.state().knownModels.filter((id) => !known.has(id));
  return [
    ...published,
    ...listed.map((value) => ({ value })),
    { value: 'auto', summary: 'the smallest model that the prompt fits' },
  ];
}

const argumentCandidates: Readonly<
  Record<ArgumentSource, (core: CandidateSource) => readonly Candidate[]>
> = {
  models: modelCandidates,
  commands: ({ state }) => commandCandidates(state()),
  conversations: ({ ports }) => ports.library.names(),
  themes: () => themeNames.map((value) => ({ value })),
  'wrap modes': () => wrapModes.map((value) => ({ value })),
  roles: ({ ports }) => ports.roles.names().map((value) => ({ value })),
  files: () => [],
};

/** @throws Failure if the conversations cannot be read */
export function candidatesFor(
  core: CandidateSource,
  request: CompletionRequest,
): readonly Candidate[] {
  if (request.kind === 'command') return commandCandidates(core.state());
  if (request.kind === 'path') return core.ports.files.candidates(request.folder ?? '');
  const source = findCommand(request.command ?? '')?.completes;
  return source === undefined ? [] : argumentCandidates[source](core);
}

/** The values of a prompt file; lists prompt files again for their names. */
async function promptFileCandidates(
  core: SessionCore,
  { kind, command = '' }: CompletionRequest,
): Promise<readonly Candidate[] | undefined> {
  if (kind === 'path' || (kind === 'argument' && findCommand(command) !== undefined))
    return undefined;
  const { listPromptFiles, valueCandidates } = await import('./use-prompt-file.ts');
  if (kind === 'argument') return valueCandidates(core, command);
  await listPromptFiles(core);
  return undefined;
}

const loadList = () => import('./list-effects.ts');

async function runListEffect(core: SessionCore, effect: ListEffect): Promise<void> {
  await (await loadList()).runListEffect(core, effect);
}

/** Runners may throw synchronously or reject. */
export const effectRunners: EffectRunners = {
  print: ({ transcript }, { entries }) => transcript.print(entries),
  send: runSend,
  stop: (core) => core.stop(),
  'retry-now': (core) => core.retryNow(),
  quit: (core) => core.quit(),
  suspend: ({ screen }) => screen.suspend(),
  redraw: ({ screen }) => screen.redraw(),
  'scroll-away': ({ screen }) => screen.scrollAway(),
  remember: ({ ports }, { text }) => ports.remember(text),
  'keep-draft': ({ ports }, { text }) => ports.keepDraft(text),
  'edit-externally': (core, { text }) => editExternally(core, text),
  'find-candidates': async (core, { request }) => {
    const found = await promptFileCandidates(core, request);
    const candidates = found ?? candidatesFor(core, request);
    core.dispatch({ type: 'candidates-found', request, candidates });
  },
  'list-models': runListModels,
  attach: runAttach,
  'recognise-paths': async (core, effect) => {
    const { recognisePaths } = await import('../picker/recognise-paths.ts');
    recognisePaths(core, effect);
  },
  'pick-files': async (core, effect) => {
    const { pickFiles } = await import('../picker/pick-files.ts');
    await pickFiles(core, effect);
  },
  'run-shell': async (core, effect) => {
    const { runShellLine } = await import('../shell/run-shell-line.ts');
    await runShellLine(core, effect);
  },
  copy: runCopy,
  save: runSave,
  'save-journal': runSaveJournal,
  'select-version': (core, { turnId }) => selectVersion(core, turnId),
  undo: (core, { turnId }) => undo(core, turnId),
  'change-parameters': async (core, { text }) =>
    (await import('./change-parameters.ts')).runChangeParameters(core, text),
  'choose-role': async (core, { name }) =>
    (await import('./choose-role.ts')).runChooseRole(core, name),
  'open-prompt': async (core, effect) =>
    (await import('./use-prompt-file.ts')).runOpenPrompt(core, effect),
  compact: async (core, effect) => (await import('./compact.ts')).runCompact(core, effect),
  'remove-summary': (core, { turnId }) => {
    core.journal().removeSummary(turnId);
    dispatchConversation(core);
  },
  'show-context': async (core, { shows }) =>
    (await import('./show-context.ts')).runShowContext(core, shows),
  rename: (core, { title }) => rename(core, title),
  'record-model': (core, { model }) => core.journal().setModel(model),
  'new-conversation': runNewConversation,
  resume: runResume,
  export: async (core, effect) =>
    (await import('./export-conversation.ts')).runExport(core, effect),
  'open-list': async (core, effect) => (await loadList()).runOpenList(core, effect),
  'read-list': runListEffect,
  'search-list': runListEffect,
  'preview-conversation': runListEffect,
  'list-conversations': runListConversations,
  // The transcript reads the theme from the state.
  'set-theme': ({ transcript }, { theme }) => transcript.print([notice(`the theme is ${theme}`)]),
  connect: runConnect,
  'find-servers': runFindServers,
};

/** Rethrows if the effect was itself a report, because then reports cannot be shown. */
function report(core: SessionCore, effect: Effect, error: unknown): void {
  if (effect.type === 'print' && effect.isReport === true) throw error;
  const { clean, clock } = core.ports;
  const failure = error instanceof Stopped ? 'stopped' : failureText(error, clean);
  core.dispatch({ type: 'effect-failed', effect, failure, now: clock.monotonic() });
}

/** Runs an effect. Never rejects: a thrown error becomes an `effect-failed` action. */
export async function runEffect(
  core: SessionCore,
  effect: Effect,
  runners: EffectRunners = effectRunners,
): Promise<void> {
  // The table gives each type its own runner, which indexing by a union cannot express.
  const run = runners[effect.type] as (core: SessionCore, effect: Effect) => Promise<void> | void;
  try {
    await run(core, effect);
  } catch (error) {
    try {
      report(core, effect, error);
    } catch (unreported) {
      core.fail(unreported);
    }
  }
}
