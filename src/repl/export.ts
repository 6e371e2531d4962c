import { cleanLine } from '../secrets/secrets.ts';
import { codeBlocks } from '../conversation/code-blocks.ts';
import { formatOfName, exportAs } from '../conversation/export/export.ts';
import { isAnswer, titleOf, type Conversation, textOf } from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { countOf } from '../output/figures.ts';
import { shownPath } from './conversations/position.ts';
import { notice, type Entry, failureEntry } from './transcript/transcript.ts';
import type { Session } from './session.ts';
import { unquoted, type SlashCommand } from './slash-command.ts';
import type { DialogChoice, ReplState, Update } from './state.ts';
import { openDialog, printNotice, refuse, showNow, startActivity, step, task } from './step.ts';
import { copyText } from './shell/clipboard.ts';

const extensions = { Markdown: '.md', JSON: '.json', HTML: '.html' };

/** UTF-16 units of a name from a title. */
const maxName = 40;

/** A file name from the title, without extension: its first words, else the id. */
function nameOf(conversation: Conversation): string {
  const words = titleOf(conversation).toLowerCase();
  const name = (words.match(/[\p{L}\p{N}]+/gu) ?? []).join('-');
  const isShort = name.length <= maxName;
  const cut = isShort ? name : name.slice(0, maxName + 1).replace(/(?:^|-)[^-]*$/, '');
  return cut === '' ? conversation.id : cut;
}

const writeNothing = (state: ReplState) =>
  printNotice({ ...state, dialog: undefined }, 'nothing was written');

const writing = (state: ReplState, argument: string, replaces = false) =>
  startActivity(state, 'exporting', exportConversation, { argument, replaces });

const writeChoice = (label: string, argument: string, replaces?: boolean): DialogChoice => ({
  label,
  choose: (state) => writing({ ...state, dialog: undefined }, argument, replaces),
});

const fileDialog = (title: string, ...choices: readonly DialogChoice[]) => ({
  type: 'choice' as const,
  title,
  choices: [...choices, { label: 'write nothing', choose: writeNothing }],
  filtersTyped: true,
  cancel: writeNothing,
});

/** Exports the conversation; asks for the format, and before it replaces a file. */
async function exportConversation(
  session: Session,
  { argument, replaces }: { readonly argument: string; readonly replaces: boolean },
) {
  const conversation = session.journal().conversation();
  if (conversation.turns.size === 0) {
    throw new Failure('usage', 'there is nothing to export yet', { hint: 'type a prompt first' });
  }
  // A format alone, by its name or its extension.
  const word = argument.toLowerCase();
  const known = Object.entries(extensions);
  const [, extension] =
    known.find(([one, end]) => word === one.toLowerCase() || `.${word}` === end) ?? [];
  const given = extension === undefined ? argument : '';
  const name = `${given || nameOf(conversation)}${extension ?? ''}`;
  const format = formatOfName(name);
  if (format === undefined) {
    const choices = known.map(([one, end]) => writeChoice(`${one}: ${name}${end}`, name + end));
    openDialog(session, fileDialog('export this conversation as', ...choices));
    return [];
  }
  const { settings, reasoning: mode } = session.state();
  // The export has what the transcript shows.
  const options = { siblings: false, reasoning: mode === 'show', times: settings.times === 'on' };
  const text = [...(await exportAs(conversation, format, options))].join('');
  const path = session.files.write(name, text, { isPrivate: true, replaces });
  if (path === undefined) {
    const dialog = fileDialog(`${name} exists already`, writeChoice('replace it', name, true));
    // Enter alone writes nothing.
    openDialog(session, { ...dialog, selected: 1 });
    return [];
  }
  const [shown = format] = known.find(([one]) => one.toLowerCase() === format) ?? [];
  return [notice(`exported to ${path} (${shown}, ${countOf(Buffer.byteLength(text), 'byte')})`)];
}

/** The text of an answer or of a code block, and what it is called. */
type Named = Readonly<{ text: string; name: string }>;

/** Copies also while another answer streams, so it is no activity. */
async function copyAnswer(session: Session, { text, name }: Named): Promise<void> {
  const { context, service, isLineMode } = session;
  const control = isLineMode ? undefined : (sequence: string) => context.device.writeNow(sequence);
  const how = await copyText(service.restoreText(text), context, control);
  session.update((state) => showNow(state, `${name} was copied ${how}`));
}

async function saveAnswer(session: Session, saved: Named & { readonly path: string }) {
  const { text, name, path: file } = saved;
  const path = session.files.write(file, session.service.restoreText(text));
  if (path === undefined) {
    const hint = 'choose another name';
    throw new Failure('storage', `cannot write ${file}: it already exists`, { hint });
  }
  return [notice(`${name} was written to ${path}`)];
}

/** Tries again to write unsaved turns and reports what is on disk. */
export function storageEntry(session: Session): Entry {
  const { isStored, unsavedTurns, path, failure } = session.journal().save();
  if (path === undefined) return notice('this conversation is not saved');
  if (isStored && session.journal().conversation().turns.size === 0) {
    return notice('nothing to save yet: the first prompt creates the file');
  }
  if (isStored) return notice(`the conversation is saved in ${path}`);
  const turns = unsavedTurns === 1 ? '1 turn is' : `${unsavedTurns} turns are`;
  const hint = failure === undefined ? undefined : cleanLine(session.context, failure.message);
  return failureEntry(`${turns} not on disk`, hint);
}

const saveJournal = async (session: Session) => [storageEntry(session)];

/** `-2` for the answer before the last one, the number of a code block, and a file; each may be missing. */
const places = /^(?:(-[1-9]\d*)(?:\s+|$))?(?:(\d+)(?:\s+|$))?(.*)$/s;

/** @param place `-2` for the answer before the last one; `block` counts its code blocks from 1 */
function withText(
  state: ReplState,
  [place = '-1', block]: readonly (string | undefined)[],
  run: (named: Named) => Update,
) {
  const answers = shownPath(state).filter(isAnswer);
  const answer = answers.at(Number(place));
  if (answer === undefined) {
    const found = `this conversation has ${countOf(answers.length, 'answer')}`;
    return refuse(state, answers.length === 0 ? 'there is no complete answer yet' : found);
  }
  const text = textOf(answer);
  const name = place === '-1' ? 'the last answer' : `answer ${place}`;
  if (block === undefined) return run({ text, name });
  const blocks = codeBlocks(text);
  const found = blocks[Number(block) - 1];
  if (found !== undefined) return run({ text: found.code, name: `code block ${block}` });
  const several = blocks.length === 1 ? 'one code block' : `code blocks 1 to ${blocks.length}`;
  return refuse(state, `${name} has ${blocks.length === 0 ? 'no code block' : several}`);
}

function copy(state: ReplState, argument: string): Update {
  const [, place, block, rest] = places.exec(argument) ?? [];
  const run = (named: Named) => step(state, task(copyAnswer, named));
  if (rest === '') return withText(state, [place, block], run);
  const hint = '/copy 2 copies the second code block, /copy -2 the answer before the last';
  return refuse(state, '/copy takes the number of a code block or answer', hint);
}

function save(state: ReplState, argument: string): Update {
  const [, place, block, path = ''] = places.exec(argument) ?? [];
  if (argument === '') return startActivity(state, 'saving', saveJournal, undefined);
  if (path === '') return refuse(state, '/save needs a file name', `/save ${argument} name.txt`);
  return withText(state, [place, block], (named) =>
    startActivity(state, 'saving', saveAnswer, { ...named, path: unquoted(path) }),
  );
}

export const textCommands: readonly SlashCommand[] = [
  {
    name: 'copy',
    argument: '[n]',
    summary: 'copy the last answer, or its block n; -2: the one before',
    example: '/copy 2',
    isImmediate: true,
    showsNow: true,
    run: copy,
  },
  {
    name: 'save',
    argument: '[n] [file]',
    summary: 'write the last answer, or its code block n, to a file',
    example: '/save 2 script.sh',
    completes: 'files',
    run: save,
  },
];

export const exportCommand: SlashCommand = {
  name: 'export',
  argument: '[file]',
  summary: 'write the conversation to a file: .md, .json or .html',
  example: '/export tea.html',
  completes: 'files',
  run: (state, argument) => writing(state, unquoted(argument)),
};
