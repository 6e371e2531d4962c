import { Failure } from '../../failure.ts';
import { copyDialog } from '../state/dialog.ts';
import type { Effect } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';
import {
  failureText,
  runTask,
  type SessionCore,
  dispatchConversation,
} from '../session/session-core.ts';
import { showConversation, runOpenList } from './conversations.ts';
import { codeBlocks } from '../../conversation/code-blocks.ts';
import { copyText } from '../system/clipboard.ts';
import { cleanLine } from '../../secrets/secrets.ts';

type EffectOf<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

interface Selection {
  readonly text: string;
  /** Such as `code block 2`. */
  readonly name: string;
}

/** @throws Failure of kind `usage` for a missing code block */
async function selectionOf({ source, block }: EffectOf<'copy' | 'save'>): Promise<Selection> {
  if (block === undefined) return { text: source, name: 'the last answer' };
  const blocks = codeBlocks(source);
  const found = blocks[block - 1];
  if (found !== undefined) return { text: `${found}\n`, name: `code block ${block}` };
  const count = blocks.length === 1 ? 'one code block' : `code blocks 1 to ${blocks.length}`;
  throw new Failure(
    'usage',
    `the last answer has ${blocks.length === 0 ? 'no code block' : count}`,
  );
}

export function runCopy(core: SessionCore, effect: EffectOf<'copy'>): Promise<void> {
  return runTask(core, async (signal) => {
    const { text, name } = await selectionOf(effect);
    const { context, guard, isLineMode } = core;
    const control = isLineMode
      ? undefined
      : (sequence: string) => context.device.writeNow(sequence);
    const how = await copyText(guard.restoreText(text), { ...context, control }, signal);
    return [notice(`${name} was copied ${how}`)];
  });
}

export function runSave(core: SessionCore, effect: EffectOf<'save'>): Promise<void> {
  return runTask(core, async () => {
    const { text, name } = await selectionOf(effect);
    const path = core.files.write(effect.path, core.guard.restoreText(text));
    return [notice(`${name} was written to ${path}`)];
  });
}

/** Tries again to write unsaved turns and reports what is on disk. */
export function storageEntry(core: SessionCore): Entry {
  const { isStored, unsavedTurns, path, failure } = core.journal().save();
  if (path === undefined) return notice('this conversation is not saved');
  if (isStored && core.journal().conversation().turns.size === 0) {
    return notice('nothing to save yet: the first prompt creates the file');
  }
  if (isStored) return notice(`the conversation is saved in ${path}`);
  const turns = unsavedTurns === 1 ? '1 turn is' : `${unsavedTurns} turns are`;
  const hint = failure === undefined ? undefined : cleanLine(core.context, failure.message);
  return { type: 'failure', message: `${turns} not on disk`, hint };
}

export function runSaveJournal(core: SessionCore): Promise<void> {
  return runTask(core, async () => [storageEntry(core)]);
}

export function runAttach(core: SessionCore, { path }: EffectOf<'attach'>): Promise<void> {
  return runTask(core, async (signal) => {
    const { files, summary } = await core.files.attach(path, signal);
    for (const file of files) core.dispatch({ type: 'file-attached', file });
    return [notice(summary ?? `${path} is attached to the next prompt`)];
  });
}

export function runListModels(core: SessionCore): Promise<void> {
  return runTask(core, async (signal) => {
    const { service } = core;
    const records = await service.client().listModels({ signal });
    const ids = records.map(({ id }) => id);
    core.dispatch({ type: 'models-listed', ids, windows: service.windows() });
    return [notice(service.describeModels(records))];
  });
}

export function runListConversations(
  core: SessionCore,
  { query }: EffectOf<'list-conversations'>,
): Promise<void> {
  return runTask(core, async (signal) => [notice(await core.library.describe(query, signal))]);
}

export function runNewConversation(core: SessionCore): Promise<void> {
  return runTask(core, async () => {
    await core.useJournal(core.library.create());
    const { parameters } = core.state().settings;
    if (parameters !== undefined) core.journal().setParameters(parameters);
    dispatchConversation(core);
    const { role, system } = core.state().settings;
    const [name, what] =
      role === undefined
        ? ['system', 'system prompt']
        : ['role', cleanLine(core.context, `role ${role}`)];
    const kept = system === undefined ? '' : `; the ${what} stays; /${name} off removes it`;
    return [notice(`a new conversation begins; /resume lists the earlier ones${kept}`)];
  });
}

/** Opens the list, filtered by the name, if that is the name of several conversations. */
export async function runResume(
  core: SessionCore,
  { name, settings, isBranch = false }: EffectOf<'resume'>,
): Promise<void> {
  const { library } = core;
  const id = library.find(name);
  if (id === undefined) {
    const options = { isBranch, ...(settings !== undefined && { settings }) };
    return runOpenList(core, { type: 'open-list', options, query: name });
  }
  return runTask(core, async () => {
    // This process already holds its lock.
    if (id === core.journal().conversation().id && !isBranch)
      return [notice('this conversation is already open')];
    const opened = isBranch
      ? ({ isOpen: true, journal: library.branch(id) } as const)
      : library.resume(id);
    if (!opened.isOpen) {
      const title = cleanLine(core.context, opened.refusal.message);
      core.dispatch({
        type: 'dialog-opened',
        dialog: copyDialog(title, id, core.state().chosenFrom !== undefined),
      });
      return [];
    }
    const { journal } = opened;
    await core.useJournal(journal);
    dispatchConversation(core, settings);
    return showConversation(journal.conversation());
  });
}

export function runConnect(core: SessionCore, effect: EffectOf<'connect'>): Promise<void> {
  const { address, key, model } = effect;
  return runTask(core, async (signal) => {
    try {
      const service = await core.service.connect(address, key, signal);
      core.dispatch({ type: 'service-connected', service, model });
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = failureText(error, core.context);
      const hasKey = key !== undefined;
      core.dispatch({ type: 'connection-failed', failure, address, hasKey });
    }
    return [];
  });
}

export function runFindServers(core: SessionCore): Promise<void> {
  return runTask(core, async (signal) => {
    const servers = await core.service.findServers(signal);
    core.dispatch({ type: 'servers-found', servers });
    return [];
  });
}
