import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { splitPrompt } from '../../conversation/compose-prompt.ts';
import { textOf } from '../../conversation/tree.ts';
import { withFile } from '../state/attachments.ts';
import { notice } from '../state/entry.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import {
  nextParent,
  currentPath,
  isAnswered,
  lastAnswer,
  lastPrompt,
  withBranch,
  type PromptAndAnswer,
} from '../state/position.ts';
import {
  andThen,
  printing,
  printNotice,
  refuse,
  startAnswer,
  startTask,
  step,
  type Step,
} from '../reducer/step.ts';
import { undoSummary } from '../reducer/compacting.ts';
import { answersSamePrompt, compare, switchVersion } from '../reducer/versions.ts';
import { withSent } from '../text/sent-prompt.ts';
import { shownText } from '../composer/paste.ts';
import type { ReplState } from '../state/state.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { truncateToWidth } from '../../terminal/text/width.ts';
import { unquoted, type SlashCommand } from './slash-command.ts';

const continuation =
  'Continue exactly where your last answer stopped, without repeating any of it.';

function withLastPrompt(state: ReplState, run: (pair: PromptAndAnswer) => Step): Step {
  const pair = lastPrompt(currentPath(state.conversation, state.branch));
  return pair === undefined
    ? refuse(state, 'there is no prompt yet', 'type one and press Enter')
    : run(pair);
}

function retry(state: ReplState, model: string): Step {
  if (/\s/.test(model))
    return refuse(state, '/retry takes only the id of a model', '/retry nextgen');
  return withLastPrompt(state, ({ prompt }) => {
    const repeated = { type: 'repeat', turnId: prompt.id } as const;
    if (model === '') return startAnswer(state, repeated, undefined);
    const settings = { ...state.settings, model };
    return andThen(printNotice(state, answersSamePrompt(model)), (next) =>
      startAnswer(next, repeated, undefined, { settings }),
    );
  });
}

/** Restores a sent prompt with its files to the composer; sending it adds a version. */
function restore(
  state: ReplState,
  { prompt }: PromptAndAnswer,
  reason: 'edit' | 'undo',
): ReplState {
  const { prompt: text, files } = splitPrompt(prompt.content);
  const composer = withSent(state.composer, state.history, text);
  const attachments = files.reduce(withFile, state.attachments);
  const restored = { ...state, composer, attachments, restoredFiles: files };
  return withBranch(restored, { parent: prompt.parent, reason });
}

/** In line mode, which cannot put the prompt into the composer. */
function editHint({ composer, restoredFiles, keyMap }: ReplState): string {
  const names = restoredFiles.map(({ name }) => name).join(', ');
  const lines = [
    `type a new version of: ${shownText(composer)}`,
    ...(names === '' ? [] : [`attached: ${names}; /attach none removes them`]),
    `${neededKeyOf('interrupt', keyMap)} keeps the old version`,
  ];
  return lines.join('\n');
}

function edit(state: ReplState): Step {
  return withLastPrompt(state, (pair) => {
    const restored = restore(state, pair, 'edit');
    return state.isLineMode ? printNotice(restored, editHint(restored)) : step(restored);
  });
}

/** Columns of a prompt in a notice. */
const quotedColumns = 50;

function undo(state: ReplState): Step {
  const withoutSummary = undoSummary(state);
  if (withoutSummary !== undefined) return withoutSummary;
  return withLastPrompt(state, (pair) => {
    const undone = restore(state, pair, 'undo');
    const { composer, attachments, restoredFiles } = state;
    const isRestored = isEmpty(composer) && !state.isLineMode;
    const next = isRestored
      ? { ...undone, restoredText: undone.composer.text }
      : { ...undone, composer, attachments, restoredFiles };
    const prompt = truncateToWidth(sanitizeLine(shownText(undone.composer)), quotedColumns);
    const removed = isAnswered(pair) ? 'and its answer are removed' : 'is removed';
    const text = `the prompt "${prompt}" ${removed}; your next prompt replaces it`;
    return step(next, { type: 'undo', turnId: pair.prompt.id }, printing(notice(text)));
  });
}

function continueAnswer(state: ReplState): Step {
  const { conversation, branch } = state;
  const answer = lastAnswer(currentPath(conversation, branch));
  if (answer === undefined)
    return refuse(state, 'there is no answer to continue', '/retry sends the last prompt again');
  if (answer.incomplete !== true && answer.finishReason !== 'length') {
    return refuse(state, 'the last answer is complete', 'type a prompt to get more');
  }
  const prompt = {
    type: 'new',
    content: continuation,
    shown: continuation,
    needsEcho: true,
    files: [],
    mentions: [],
    isConfirmed: true,
    isRedacted: state.isRedacting === true,
    parent: nextParent(state),
  } as const;
  return startAnswer(state, prompt, undefined);
}

function withAnswer(state: ReplState, run: (source: string) => Step): Step {
  const answer = lastAnswer(currentPath(state.conversation, state.branch));
  return answer === undefined ? refuse(state, 'there is no answer yet') : run(textOf(answer));
}

function copy(state: ReplState, argument: string): Step {
  if (!/^\d*$/.test(argument)) {
    return refuse(state, '/copy takes the number of a code block', '/copy or /copy 2');
  }
  const block = argument === '' ? undefined : Number(argument);
  return withAnswer(state, (source) =>
    startTask(state, 'copying', { type: 'copy', source, block }),
  );
}

function save(state: ReplState, argument: string): Step {
  const [, number, path = ''] = /^(?:(\d+)(?:\s+|$))?(.*)$/.exec(argument) ?? [];
  if (argument === '') return startTask(state, 'saving', { type: 'save-journal' });
  if (path === '') return refuse(state, '/save needs a file name', `/save ${number} name.txt`);
  const block = number === undefined ? undefined : Number(number);
  return withAnswer(state, (source) =>
    startTask(state, 'saving', { type: 'save', path: unquoted(path), source, block }),
  );
}

export const answerCommands: readonly SlashCommand[] = [
  {
    name: 'retry',
    argument: '[model]',
    summary: 'get a new version of the last answer',
    group: 'answers',
    example: '/retry nextgen',
    completes: 'models',
    run: retry,
  },
  {
    name: 'compare',
    argument: '[model]',
    summary: 'retry with another model, and show the figures of both',
    group: 'answers',
    example: '/compare nextgen',
    completes: 'models',
    run: compare,
  },
  {
    name: 'edit',
    isSilent: true,
    summary: 'edit the last prompt and send it as a new version',
    group: 'answers',
    run: edit,
  },
  {
    name: 'version',
    argument: '[n]',
    summary: 'show the next version of the last answer, or version n',
    group: 'answers',
    example: '/version 2',
    run: (state, argument) => switchVersion(state, argument === '' ? 'next' : Number(argument)),
  },
  {
    name: 'undo',
    surplusHint: 'each /undo removes one prompt; repeat it to remove more',
    summary: 'remove the last prompt and its answer, or a new summary',
    group: 'answers',
    run: undo,
  },
  {
    name: 'continue',
    summary: 'continue an answer that was cut off',
    group: 'answers',
    run: continueAnswer,
  },
  {
    name: 'copy',
    argument: '[n]',
    summary: 'copy the last answer, or its code block n',
    group: 'text',
    example: '/copy 2',
    run: copy,
  },
  {
    name: 'save',
    argument: '[n] [file]',
    summary: 'write the last answer, or its code block n, to a file',
    group: 'text',
    example: '/save 2 script.sh',
    completes: 'files',
    run: save,
  },
  {
    name: 'export',
    argument: '[file]',
    summary: 'write the conversation to a file: .md, .json or .html',
    group: 'conversations',
    example: '/export tea.html',
    completes: 'files',
    run: (state, argument) =>
      startTask(state, 'exporting', { type: 'export', argument: unquoted(argument) }),
  },
];
