import { setImmediate as nextTick } from 'node:timers/promises';

import { Failure } from '../../failure.ts';
import { newList } from '../conversation-list/answer-list.ts';
import { listCode as code } from '../conversation-list/list-code.ts';
import type { SessionCore } from '../session/session-core.ts';
import type { ListEvent } from '../state/conversation-list.ts';
import type { Effect } from '../state/effect.ts';

type EffectOf<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

export async function runOpenList(
  core: SessionCore,
  { options, query = '' }: EffectOf<'open-list'>,
): Promise<void> {
  const port = await core.ports.library.list();
  const entries = port.entries();
  if (entries.length === 0) {
    throw new Failure('not_found', 'there is no conversation yet', {
      hint: 'the first prompt starts one',
    });
  }
  const rows = port.read(entries, 0);
  const list = newList({ code, options, openedAt: port.now(), entries, rows, query });
  core.dispatch({ type: 'list-opened', list });
}

export type ListEffect = EffectOf<'read-list' | 'search-list' | 'preview-conversation'>;

/** Reads a part of an open list, after keys and timers were handled. */
export async function runListEffect(core: SessionCore, effect: ListEffect): Promise<void> {
  await nextTick();
  const { entries } = effect;
  if (core.state().list?.entries !== entries) return;
  const port = await core.ports.library.list();
  const read = (): ListEvent => {
    switch (effect.type) {
      case 'read-list':
        return { type: 'rows-read', entries, rows: port.read(entries, effect.from) };
      case 'search-list': {
        const { from, query } = effect;
        const excerpts = port.search(entries, from, query);
        return { type: 'texts-searched', entries, query, from, excerpts };
      }
      case 'preview-conversation':
      default: {
        const { entry } = effect;
        return { type: 'preview-read', entries, id: entry.id, turns: port.preview(entry) };
      }
    }
  };
  core.dispatch({ type: 'list-changed', event: read() });
}
