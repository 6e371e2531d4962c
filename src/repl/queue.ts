import { startPrompt } from './answers/send-prompt.ts';
import { commandIn, linesAfterCommand, runCommand } from './commands.ts';
import { addEntry } from './composer/history.ts';
import { contentOf, shownText, typedContent } from './composer/paste.ts';
import {
  clearBuffer,
  type Draft,
  draftFrom,
  draftOf,
  isEmpty,
  withDraft,
} from './composer/text-buffer.ts';
import { discardRestored, mentionsOf } from './files/attachments.ts';
import { withMenuClosed } from './menu.ts';
import type { Session } from './session.ts';
import { asPrompt, isForShell, runForShell } from './shell/shell-command.ts';
import type { Dialog, ReplState, Update } from './state.ts';
import { andThen, isWriting, quit, printing, printNotice, refuse, step, task } from './step.ts';

/** Words that quit other programs when entered alone: `exit`, `:q`, `:wqa!`. */
export const exitWord = /^(?:exit|quit|:(?:(?:w?qa?|xa?)!?|exit|quit))$/;

/** Quits the second time; the composer keeps the word until then, so that Enter is enough. */
function enterExitWord(state: ReplState): Update {
  if (state.armed === 'send') return quit({ ...state, composer: clearBuffer(state.composer) });
  const next: ReplState = { ...state, armed: 'send' };
  if (!state.isLineMode) return step(next);
  const word = contentOf(state.composer).trim();
  const cleared = { ...next, composer: clearBuffer(state.composer) };
  return printNotice(cleared, `type ${word} again to quit; add words to send it as a prompt`);
}

/**
 * A slash and a name, not a path unless a prompt file has it, or a question mark alone. The slash of a long paste is in
 * its marker.
 */
function isCommand({ promptFiles }: ReplState, { text }: Draft): boolean {
  const word = /^\/(\S*)/.exec(text)?.[1];
  if (word === undefined) return text.trim() === '?';
  return !/[/.]/.test(word) || promptFiles.some(({ name }) => name === word);
}

/** Several lines with a pasted slash at their start are text. */
function pastedAsText(state: ReplState, draft: Draft): Draft {
  const hasLines = contentOf(draft).trim().includes('\n');
  const isText = state.isShellPasted === true && hasLines && isCommand(state, draft);
  return isText ? { ...draft, text: `/${draft.text}`, cursor: draft.cursor + 1 } : draft;
}

/** Pastes are sent in full but shown as markers. `//` escapes a leading slash, a space an exclamation mark. */
function sendPrompt(state: ReplState, draft: Draft, needsEcho: boolean): Update {
  const isEscaped = draft.text.startsWith('//') || draft.text.startsWith(' !');
  const typed = isEscaped ? { ...draft, text: draft.text.slice(1) } : draft;
  const mentions = mentionsOf(typed.text);
  const prompt = { content: contentOf(typed), shown: shownText(typed), needsEcho, mentions };
  return startPrompt(state, prompt, draft);
}

function run(state: ReplState, draft: Draft, needsEcho = false): Update {
  if (isForShell(state, draft)) return runForShell(state, draft, needsEcho);
  if (!isCommand(state, draft)) return sendPrompt(state, draft, needsEcho);
  const line = contentOf(draft).trim();
  const { isSilent, showsNow } = commandIn(state, line) ?? {};
  const isEchoed = isSilent !== true && !(showsNow === true && isWriting(state));
  const echo = printing({ type: 'command', text: shownText(draft), needsEcho });
  return andThen(step(state, ...(isEchoed ? [echo] : [])), (next) => runCommand(next, line));
}

/** Runs the queue until natter is busy; follows every change of the state. */
export function advance(state: ReplState): Update {
  const [next, ...queue] = state.queue;
  const isWaiting =
    state.isQueuePaused || (state.activity ?? state.dialog ?? state.list) !== undefined;
  if (next === undefined || isWaiting || state.hasQuit) return step(state);
  return andThen(run({ ...state, queue }, next, true), advance);
}

export function remember({ memory }: Session, text: string): void {
  memory.remember(text);
}

/** Moves the draft to the history. If it was recalled from there, the composer gets the draft typed before. */
function takeDraft(state: ReplState, draft: Draft): Update {
  const { history, draft: kept } = addEntry(state.history, draft);
  const composer = withDraft(clearBuffer(state.composer), kept);
  const next = { ...withMenuClosed(state), composer, history, isShellPasted: false };
  return step(next, task(remember, typedContent(draft)));
}

export const hurry = (session: Session): void => session.hurry();

/** Ends the wait before a retry. */
function retryNow(state: ReplState): Update {
  const { activity, now } = state;
  if (activity?.type !== 'answer' || activity.retry === undefined) return step(state);
  const retry = { ...activity.retry, at: now };
  return step({ ...state, activity: { ...activity, retry } }, task(hurry, undefined));
}

/** Line mode has no composer in which the text could be edited. */
function cancelShell(state: ReplState): Update {
  const closed = { ...state, dialog: undefined };
  if (!state.isLineMode) return step(closed);
  return printNotice({ ...closed, composer: clearBuffer(state.composer) }, 'nothing was run');
}

/** Asks before a draft for the shell is run, if its start was pasted, or it has a long paste or several lines. */
function shellQuestion(state: ReplState, draft: Draft): Dialog | undefined {
  if (!isForShell(state, draft)) return undefined;
  const content = contentOf(draft);
  const lines = content.trimEnd().split('\n').length;
  const isPasted = state.isShellPasted === true || content !== draft.text;
  if (!isPasted && lines === 1) return undefined;
  const what = lines === 1 ? 'this command' : `these ${lines} lines`;
  return {
    type: 'choice',
    title: `run ${isPasted ? 'the pasted text' : what} in the shell?`,
    choices: [
      { label: 'no, keep editing', choose: cancelShell },
      { label: `run ${what}`, choose: (next) => submit({ ...next, dialog: undefined }, true) },
      {
        label: 'send the text as a prompt',
        choose(next) {
          const composer = withDraft(next.composer, asPrompt(draftOf(next.composer)));
          return submit({ ...next, dialog: undefined, composer });
        },
      },
    ],
    cancel: cancelShell,
  };
}

/** Sends or queues the draft; on an empty composer, retries at once, or continues a paused queue. */
export function submit(state: ReplState, isShellConfirmed = false): Update {
  const draft = pastedAsText(state, draftOf(state.composer));
  if (contentOf(draft).trim() === '') return retryNow({ ...state, isQueuePaused: false });
  if (exitWord.test(contentOf(draft).trim())) return enterExitWord(state);
  const question = isShellConfirmed ? undefined : shellQuestion(state, draft);
  if (question !== undefined) return step({ ...state, dialog: question });
  const isCommandLine = isCommand(state, draft);
  const lines = isCommandLine ? linesAfterCommand(state, contentOf(draft).trim()) : undefined;
  if (lines !== undefined) {
    const [name = ''] = lines.line.split(/\s/);
    return refuse(state, `${name} takes one line, but more lines follow`, 'send it alone first');
  }
  const sent = takeDraft({ ...state, armed: undefined }, draft);
  // A command such as `/edit` needs the composer.
  const taken = isCommandLine ? sent : { ...sent, state: withStashedDraft(sent.state) };
  const isBusy = state.activity !== undefined || (state.queue.length > 0 && !state.isQueuePaused);
  const isImmediate = isCommandLine && commandIn(state, draft.text)?.isImmediate === true;
  if (isImmediate || !isBusy) return andThen(taken, (next) => run(next, draft));
  const { queue, isQueuePaused } = taken.state;
  // Only drafts queued before the stop or failure stay paused.
  const isWaiting = isQueuePaused && queue.length > 0;
  const next = { ...taken.state, queue: [...queue, draft], isQueuePaused: isWaiting };
  return { ...taken, state: next };
}

/** Submits a line of line mode. It cannot be edited any more, so a command and the lines after it both run. */
export function submitLine(state: ReplState, text: string): Update {
  // Confirms the restored prompt.
  if (text.trim() === '' && state.unconfirmed !== undefined) return submit(state);
  const lines = linesAfterCommand(state, text);
  const line = lines?.line ?? text;
  const done = submit({ ...state, composer: withDraft(state.composer, draftFrom(line)) });
  if (lines === undefined || lines.rest.trim() === '') return done;
  return andThen(done, (next) => (next.hasQuit ? step(next) : submitLine(next, lines.rest)));
}

/** Restores the draft that was stashed last to an empty composer. */
export function withStashedDraft(state: ReplState): ReplState {
  const { stash = [], composer } = state;
  const last = stash.at(-1);
  if (last === undefined || !isEmpty(composer)) return state;
  return { ...state, stash: stash.slice(0, -1), composer: withDraft(composer, last) };
}

/** Moves the draft to the history and clears the composer. What was pasted is not a command there. */
export function clearDraft(state: ReplState): Update {
  return takeDraft(discardRestored(state), unsentDraft(state));
}

/** The draft, to be sent later, when it is not known what of it was pasted. */
export function unsentDraft(state: ReplState): Draft {
  const draft = pastedAsText(state, draftOf(state.composer));
  return state.isShellPasted === true ? asPrompt(draft) : draft;
}

/** Moves the last queued prompt to the composer; undefined if none is queued or the composer is not empty. */
export function unqueue(state: ReplState): ReplState | undefined {
  const last = state.queue.at(-1);
  if (last === undefined || !isEmpty(state.composer)) return undefined;
  return {
    ...state,
    queue: state.queue.slice(0, -1),
    composer: withDraft(state.composer, { ...last, cursor: last.text.length }),
  };
}
