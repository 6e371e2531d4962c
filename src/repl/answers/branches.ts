import { isAnswer, type Turn } from '../../conversation/tree.ts';
import { countOf, timeAgo } from '../../output/figures.ts';
import { showConversation } from '../conversations/conversations.ts';
import { lastPrompt, shownPath, withBranch } from '../conversations/position.ts';
import { discardRestored } from '../files/attachments.ts';
import type { Session } from '../session.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Update } from '../state.ts';
import { andThen, printNotice, refuse, step, task, offerChoices } from '../step.ts';
import { listedText, selectTurn } from './versions.ts';

/** The turns from one to the first, upwards. */
function upFrom(state: ReplState, last: Turn | undefined): readonly Turn[] {
  const turns: Turn[] = [];
  for (let turn = last; turn !== undefined; turn = state.conversation.turns.get(turn.parent ?? ''))
    turns.push(turn);
  return turns;
}

/**
 * The last prompts of the branches, with the times of their answers, newest first. A prompt without an answer ends
 * a branch only while it is on the screen; versions of an answer are one branch.
 */
function branchesOf(state: ReplState) {
  const turns = [...state.conversation.turns.values()];
  const current = lastPrompt(shownPath(state))?.prompt.id;
  const times = new Map(turns.filter(isAnswer).map(({ parent, createdAt }) => [parent, createdAt]));
  const prompts = turns.filter(
    ({ id, role }) => role === 'user' && (times.has(id) || id === current),
  );
  const followed = new Set(prompts.flatMap((prompt) => upFrom(state, prompt).slice(1)));
  return prompts
    .filter((prompt) => !followed.has(prompt))
    .map((prompt) => ({
      prompt,
      time: times.get(prompt.id) ?? prompt.createdAt,
      isCurrent: prompt.id === current,
    }))
    .toSorted((one, other) => Number(other.time) - Number(one.time));
}

/** Selects a branch, then prints its last turns, as those of a reopened conversation. */
export function selectBranch(session: Session, promptId: string): Promise<void> {
  selectTurn(session, promptId);
  return session.transcript.print(showConversation(session.state()));
}

/** @param number from 1, the newest one */
function goTo(state: ReplState, number: number): Update {
  const next = { ...state, dialog: undefined };
  const found = branchesOf(state);
  const { prompt, isCurrent = false } = found[number - 1] ?? {};
  if (prompt === undefined) {
    return refuse(next, `there are branches 1 to ${found.length}`, '/branches lists them');
  }
  const place = `branch ${number} of ${found.length}`;
  if (isCurrent) return printNotice(next, `${place} is on the screen already`);
  const said = printNotice(withBranch(discardRestored(next), undefined), place);
  return andThen(said, (settled) => step(settled, task(selectBranch, prompt.id)));
}

export function offerBranches(session: Session): void {
  const now = session.context.clock.date();
  session.update((state) => {
    const choices = branchesOf(state).map(({ prompt, time, isCurrent }, index) => {
      const prompts = upFrom(state, prompt).filter(({ role }) => role === 'user').length;
      const facts = `${countOf(prompts, 'prompt')}, ${timeAgo(time, now)}`;
      return {
        label: `${isCurrent ? 'this, ' : ''}${facts}: ${listedText(prompt)}`,
        choose: (next: ReplState) => goTo(next, index + 1),
      };
    });
    return offerChoices(state, 'branches, newest first', 'branches', choices);
  });
}

function branches(state: ReplState, argument: string): Update {
  const found = branchesOf(state);
  if (found.length < 2) {
    return refuse(state, 'this conversation has one branch', '/edit of an earlier prompt adds one');
  }
  if (argument === '') return step(state, task(offerBranches, undefined));
  return goTo(state, Number(argument));
}

export const branchesCommand: SlashCommand = {
  name: 'branches',
  argument: '[n]',
  summary: 'list the branches of edited prompts, or go to the n-th',
  example: '/branches 2',
  completes: (_repl, state) =>
    branchesOf(state).map(({ prompt }, index) => ({
      value: String(index + 1),
      summary: listedText(prompt),
    })),
  run: branches,
};
