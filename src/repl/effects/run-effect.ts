import { catalogue } from '../../client/contract.ts';
import { roleNames } from '../../commands/service/role.ts';
import { themeNames } from '../../terminal/style.ts';
import type { Candidate, CompletionRequest } from '../composer/completion.ts';
import { pickFiles, recognisePaths } from '../picker/pick-files.ts';
import {
  dispatchConversation,
  failureText,
  type Repl,
  type SessionCore,
  Stopped,
} from '../session/session-core.ts';
import { runShellLine } from '../shell/run-shell-line.ts';
import type { ArgumentSource } from '../slash-commands/slash-command.ts';
import { commandCandidates, findCommand } from '../slash-commands/table.ts';
import type { Effect } from '../state/effect.ts';
import { notice } from '../state/entry.ts';
import type { ReplState } from '../state/state.ts';
import { editText } from '../system/external-editor.ts';
import { wrapModes } from '../text/wrap-modes.ts';
import { runCompact } from './compact.ts';
import {
  entriesFrom,
  runExport,
  runListEffect,
  runOpenList,
  runShowContext,
} from './conversations.ts';
import { runChangeParameters, runChooseRole } from './request-settings.ts';
import { runSend } from './send-prompt.ts';
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
import { listPromptFiles, runOpenPrompt, valueCandidates } from './use-prompt-file.ts';

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
  const { context, screen } = core;
  const edited = await screen.lend(() => editText(text, context));
  core.dispatch({ type: 'editor-closed', text: edited });
}

function modelCandidates({ knownModels }: ReplState): readonly Candidate[] {
  const published = catalogue.map(({ id, purpose }) => ({ value: id, summary: purpose }));
  const known = new Set(published.map(({ value }) => value));
  const listed = knownModels.filter((id) => !known.has(id));
  return [
    ...published,
    ...listed.map((value) => ({ value })),
    { value: 'auto', summary: 'the smallest model that the prompt fits' },
  ];
}

const argumentCandidates: Readonly<
  Record<ArgumentSource, (repl: Repl, state: ReplState) => readonly Candidate[]>
> = {
  models: (_repl, state) => modelCandidates(state),
  commands: (_repl, state) => commandCandidates(state),
  conversations: ({ library }) => library.names(),
  themes: () => themeNames.map((value) => ({ value })),
  'wrap modes': () => wrapModes.map((value) => ({ value })),
  roles: ({ context }) => roleNames(context).map((value) => ({ value })),
  files: () => [],
};

/** @throws Failure if the conversations cannot be read */
export function candidatesFor(
  repl: Repl,
  state: ReplState,
  request: CompletionRequest,
): readonly Candidate[] {
  if (request.kind === 'command') return commandCandidates(state);
  if (request.kind === 'path') return repl.files.candidates(request.folder ?? '');
  const source = findCommand(request.command ?? '')?.completes;
  return source === undefined ? [] : argumentCandidates[source](repl, state);
}

/** The values of a prompt file; lists prompt files again for their names. */
async function promptFileCandidates(
  core: SessionCore,
  { kind, command = '' }: CompletionRequest,
): Promise<readonly Candidate[] | undefined> {
  if (kind === 'path' || (kind === 'argument' && findCommand(command) !== undefined))
    return undefined;
  if (kind === 'argument') return valueCandidates(core, command);
  await listPromptFiles(core);
  return undefined;
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
  remember: ({ memory }, { text }) => memory.remember(text),
  // In line mode the terminal edits the text, and natter does not know it.
  'keep-draft': ({ isLineMode, memory }, { text }) =>
    isLineMode ? undefined : memory.keepDraft(text),
  'edit-externally': (core, { text }) => editExternally(core, text),
  'find-candidates': async (core, { request }) => {
    const found = await promptFileCandidates(core, request);
    const candidates = found ?? candidatesFor(core, core.state(), request);
    core.dispatch({ type: 'candidates-found', request, candidates });
  },
  'list-models': runListModels,
  attach: runAttach,
  'recognise-paths': recognisePaths,
  'pick-files': pickFiles,
  'run-shell': (core, effect) => runShellLine(core, effect),
  copy: runCopy,
  save: runSave,
  'save-journal': runSaveJournal,
  'select-version': (core, { turnId }) => selectVersion(core, turnId),
  undo: (core, { turnId }) => undo(core, turnId),
  'change-parameters': (core, { text }) => runChangeParameters(core, text),
  'choose-role': (core, { name }) => runChooseRole(core, name),
  'open-prompt': runOpenPrompt,
  compact: runCompact,
  'remove-summary': (core, { turnId }) => {
    core.journal().removeSummary(turnId);
    dispatchConversation(core);
  },
  'show-context': (core, { shows }) => runShowContext(core, shows),
  rename: (core, { title }) => rename(core, title),
  'record-model': (core, { model }) => core.journal().setModel(model),
  'new-conversation': runNewConversation,
  resume: runResume,
  export: runExport,
  'open-list': runOpenList,
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
  const failure = error instanceof Stopped ? 'stopped' : failureText(error, core.context);
  core.dispatch({ type: 'effect-failed', effect, failure, now: core.context.clock.monotonic() });
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
