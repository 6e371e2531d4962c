import { isExplicitlySet, withModelOf } from '../../ask/open-conversation.ts';
import { resumedChanges } from '../../ask/plan-request.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import type { Attributes } from '../../conversation/attributes.ts';
import {
  reasoningOf,
  titleOf,
  type Conversation,
  modelOf,
  pathOf,
  systemOf,
  textOf,
  type Turn,
} from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { refusalNotice } from '../../output/notices.ts';
import { closeList, openList, readConversations } from '../conversation-list/list.ts';
import { notice, type Entry } from '../transcript/transcript.ts';
import type { Session } from '../session.ts';
import { offWords, type SlashCommand } from '../slash-command.ts';
import type { Dialog, ListOptions, ReplState, Update } from '../state.ts';
import {
  task,
  closeDialog,
  startActivity,
  openDialog,
  printing,
  refuse,
  step,
  printNotice,
  andThen,
} from '../step.ts';
import {
  changeJournal,
  closingOf,
  gapEntries,
  promptsOf,
  timeOf,
  reasonedText,
  tokenLimitNotice,
  type PromptAndAnswer,
  updateConversation,
} from './position.ts';
import { sentEntries } from './sent-prompt.ts';

/** Prompts shown of a reopened conversation; more would push the composer far down. */
const maxPrompts = 3;

function answerEntries(answer: Turn | undefined): readonly Entry[] {
  if (answer === undefined || textOf(answer) === '') return [notice('no answer was received')];
  const { content: text, refusal, model, incomplete, failure, finishReason } = answer;
  // The same words were printed when the answer was cut off.
  const stopped = `${failure === undefined ? 'stopped' : 'cut off'}; /continue resumes it`;
  const limit = finishReason === 'length' ? tokenLimitNotice : undefined;
  const cut = incomplete === true ? stopped : limit;
  return [
    ...(text === '' ? [] : [{ type: 'answer', text, model } as const]),
    ...(refusal === undefined ? [] : [notice(refusalNotice(refusal))]),
    ...(cut === undefined ? [] : [notice(cut)]),
  ];
}

/** `isFirst`: the turn before is not shown. */
function promptEntries(state: ReplState, pair: PromptAndAnswer, isFirst: boolean) {
  const { conversation, reasoning } = state;
  const { prompt, answer } = pair;
  const text = answer === undefined || reasoning === 'hide' ? '' : reasoningOf(answer);
  const thought: Entry =
    reasoning === 'show' ? { type: 'reasoning', text } : notice(reasonedText(text));
  const time = timeOf(state, prompt, isFirst);
  return [
    ...gapEntries(time),
    ...sentEntries(prompt.content),
    ...(text === '' ? [] : [thought]),
    ...answerEntries(answer),
    ...closingOf(conversation, pair, time),
  ];
}

/** The conversation from `turnId` (a prompt or answer) to its end. */
export function entriesFrom(state: ReplState, turnId: string): readonly Entry[] {
  const pairs = promptsOf(pathOf(state.conversation));
  const first = pairs.findIndex(({ prompt, answer }) => [prompt.id, answer?.id].includes(turnId));
  return pairs.slice(first).flatMap((pair) => promptEntries(state, pair, false));
}

/** The last prompts and answers of a reopened conversation, below its id and title. */
export function showConversation(state: ReplState): readonly Entry[] {
  const { conversation } = state;
  const pairs = promptsOf(pathOf(conversation));
  const shown = pairs.slice(-maxPrompts);
  const hidden = pairs.length - shown.length;
  const title = titleOf(conversation);
  const prompts = hidden === 1 ? '1 earlier prompt is' : `${hidden} earlier prompts are`;
  const earlier = hidden === 0 ? '' : `; ${prompts} not shown`;
  const titled = title === '' ? '' : `: ${title}`;
  const head = notice(`conversation ${conversation.id}${titled}${earlier}`);
  return [head, ...shown.flatMap((pair, index) => promptEntries(state, pair, index === 0))];
}

export async function newConversation(session: Session): Promise<readonly Entry[]> {
  await session.useJournal(session.library.create());
  const { parameters } = session.state().settings;
  if (parameters !== undefined) session.journal().set({ parameters });
  updateConversation(session);
  const { role, system } = session.state().settings;
  const stays =
    role === undefined
      ? 'the system prompt stays; /system off removes it'
      : `the role ${cleanLine(session.context, role)} stays; /role off removes it`;
  const kept = system === undefined ? '' : `; ${stays}`;
  return [notice(`a new conversation begins; /resume lists the earlier ones${kept}`)];
}

/** The settings of the first prompt: those of an opened conversation, unless this run sets them. */
export function openedSettings(settings: ResolvedSettings, conversation: Conversation) {
  const { model } = withModelOf(settings, modelOf(conversation)).values;
  const { maxTokens, system: configured, theme, wrap, times } = settings.values;
  const recorded = systemOf(conversation);
  const isConfigured = isExplicitlySet(settings, 'system') || recorded === undefined;
  const isRole = isConfigured && settings.sources.system === settings.sources.role;
  return {
    model,
    maxTokens,
    system: isConfigured ? configured : recorded,
    role: isRole ? settings.values.role : undefined,
    parameters: resumedChanges(settings.params, conversation.parameters),
    theme,
    wrap,
    times,
  };
}

type Chosen = ListOptions & { readonly name: string };

/** Asks before a copy is opened, because of `title`. The list of the choice is still open behind the question. */
export function copyDialog({ list }: ReplState, title: string, chosen: Chosen): Dialog {
  const copied = { ...chosen, isBranch: true };
  return {
    type: 'choice',
    title,
    choices: [
      {
        label: 'continue in a copy',
        choose: (state) => startActivity(state, 'opening a conversation', resume, copied),
      },
      { label: list === undefined ? 'open nothing' : 'back to the list', choose: closeDialog },
    ],
    cancel: closeDialog,
    ...(list !== undefined && { cancels: 'goes back' }),
  };
}

/** Opens the list, filtered by the name, if that is the name of several conversations. */
export async function resume(session: Session, chosen: Chosen): Promise<readonly Entry[]> {
  const { name, isFirst = false, isBranch = false } = chosen;
  const { library } = session;
  const id = library.find(name);
  if (id === undefined) {
    return readConversations(session, { options: { isFirst, isBranch }, query: name });
  }
  const leaveList = () => session.update((state) => step(closeList(state)));
  // This process already holds its lock.
  if (id === session.journal().conversation().id && !isBranch) {
    leaveList();
    return [notice('this conversation is already open')];
  }
  const journal = isBranch ? library.branch(id) : library.resume(id);
  if (journal instanceof Failure) {
    const title = cleanLine(session.context, journal.message);
    openDialog(session, copyDialog(session.state(), title, { ...chosen, name: id }));
    return [];
  }
  await session.useJournal(journal);
  updateConversation(session);
  if (isFirst) {
    const settings = openedSettings(session.settings, journal.conversation());
    session.update((state) => step({ ...state, settings }));
  }
  leaveList();
  return showConversation(session.state());
}

const setAttributes = (state: ReplState, set: Attributes, said: string) =>
  step(state, task(changeJournal, { set }), printing(notice(said)));

function rename(state: ReplState, title: string): Update {
  if (title !== '') return setAttributes(state, { title }, `the title is now ${title}`);
  const current = titleOf(state.conversation);
  return current === ''
    ? printNotice(state, 'this conversation has no title yet; /rename TITLE sets one')
    : printNotice(state, `the title is ${current}`);
}

function setPin(state: ReplState, argument: string): Update {
  const pin = argument === '';
  if (!pin && !offWords.has(argument)) {
    return refuse(state, '/pin takes only the word off', '/pin off');
  }
  const said = pin
    ? 'this conversation is pinned: lists show it first; /pin off removes the mark'
    : 'this conversation is not pinned';
  return pin === (state.conversation.pin === true)
    ? printNotice(state, said)
    : setAttributes(state, { pin }, said);
}

export const conversationCommands: readonly SlashCommand[] = [
  {
    name: 'new',
    summary: 'start a new conversation',
    run(state) {
      // What is attached belongs to the conversation that ends.
      const names = state.attachments.map(({ name }) => name).join(', ');
      const next = { ...state, attachments: [] };
      const removed = names === '' ? step(next) : printNotice(next, `no longer attached: ${names}`);
      return andThen(removed, (without) =>
        startActivity(without, 'opening a conversation', newConversation, undefined),
      );
    },
  },
  {
    name: 'resume',
    argument: '[name]',
    summary: 'open the named conversation, or one from a list',
    example: '/resume tea',
    completes: ({ library }) => library.names(),
    run: (state, name) =>
      name === ''
        ? openList(state)
        : startActivity(state, 'opening a conversation', resume, { name }),
  },
  {
    name: 'conversations',
    argument: '[text]',
    summary: 'open the list, or search it for all words of a text',
    example: '/conversations tea',
    isUnlisted: true,
    run: (state, query) => openList(state, { query, searchesTexts: query !== '' }),
  },
  {
    name: 'rename',
    argument: '[title]',
    summary: 'show or set the title of this conversation',
    example: '/rename Tea for two',
    run: rename,
  },
  {
    name: 'pin',
    argument: '[off]',
    summary: 'list this conversation first, or no longer',
    example: '/pin off',
    completes: () => [{ value: 'off', summary: 'remove the mark' }],
    run: setPin,
  },
];
