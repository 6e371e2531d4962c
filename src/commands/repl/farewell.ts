import type { Session } from '../../repl/session/session.ts';
import type { Context } from '../program/context.ts';

/** The id of a conversation that is on disk. */
export function savedId(session: Session): string | undefined {
  return session.isStored() ? session.state().conversation.id : undefined;
}

/** One line about how to reopen the conversation; empty if it is not stored. */
export function farewell({ signal }: Context, session: Session): string {
  const { conversation } = session.state();
  const isStored = session.isStored() && conversation.turns.size > 0;
  if (!isStored || signal.aborted) return '';
  return `natter --resume ${conversation.id} reopens it\n`;
}
