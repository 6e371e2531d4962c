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
import { findCommand, slashCommands } from '../slash-commands/table.ts';
import { themeNames } from '../text/themes.ts';
import { runSend } from './send-prompt.ts';
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

function modelCandidates(core: SessionCore): readonly Candidate[] {
  const published = catalogue.map(({ id, purpose }) => ({ value: id, summary: purpose }));
  const known = new Set(published.map(({ value }) => value));
  const listed = core.state().knownModels.filter((id) => !known.has(id));
  return [
    ...published,
    ...listed.map((value) => ({ value })),
    { value: 'auto', summary: 'the smallest model that the prompt fits' },
  ];
}

const commandCandidates = (): readonly Candidate[] =>
  slashCommands.map(({ name, summary }) => ({ value: name, summary }));

const argumentCandidates: Readonly<
  Record<ArgumentSource, (core: SessionCore) => readonly Candidate[]>
> = {
  models: modelCandidates,
  commands: commandCandidates,
  conversations: ({ ports }) => ports.library.names(),
  themes: () => themeNames.map((value) => ({ value })),
  files: () => [],
};

/** @throws Failure if the conversations cannot be read */
function candidatesFor(core: SessionCore, request: CompletionRequest): readonly Candidate[] {
  if (request.kind === 'command') return commandCandidates();
  if (request.kind === 'path') return core.ports.files.candidates(request.folder ?? '');
  const source = findCommand(request.command ?? '')?.completes;
  return source === undefined ? [] : argumentCandidates[source](core);
}

/** Runners may throw synchronously or reject. */
export const effectRunners: EffectRunners = {
  print: ({ transcript }, { entries }) => transcript.print(entries),
  send: runSend,
  stop: (core) => core.stop(),
  quit: (core) => core.quit(),
  suspend: ({ screen }) => screen.suspend(),
  redraw: ({ screen }) => screen.redraw(),
  'scroll-away': ({ screen }) => screen.scrollAway(),
  remember: ({ ports }, { text }) => ports.remember(text),
  'keep-draft': ({ ports }, { text }) => ports.keepDraft(text),
  'edit-externally': (core, { text }) => editExternally(core, text),
  'find-candidates': (core, { request }) => {
    const candidates = candidatesFor(core, request);
    core.dispatch({ type: 'candidates-found', request, candidates });
  },
  'list-models': runListModels,
  attach: runAttach,
  copy: runCopy,
  save: runSave,
  'save-journal': runSaveJournal,
  'select-version': (core, { turnId }) => selectVersion(core, turnId),
  undo: (core, { turnId }) => undo(core, turnId),
  rename: (core, { title }) => rename(core, title),
  'record-model': (core, { model }) => core.journal().setModel(model),
  'new-conversation': runNewConversation,
  resume: runResume,
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
