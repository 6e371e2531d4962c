import { notice } from '../entry.ts';
import type { Effect } from '../effect.ts';
import { failureText, tellConversation, type SessionCore } from '../session-core.ts';
import { runAsk } from './ask.ts';
import { findCandidates } from './find-candidates.ts';
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

type Runners = {
  readonly [Type in Effect['type']]: (
    core: SessionCore,
    effect: Extract<Effect, { readonly type: Type }>,
  ) => Promise<void> | void;
};

/** Selects a turn with all that it follows, and shows its exchange and what comes after. */
function choose(core: SessionCore, turnId: string): void {
  const journal = core.journal();
  const { turns, choices } = journal.conversation();
  for (let turn = turns.get(turnId); turn !== undefined; turn = turns.get(turn.parent ?? '')) {
    if (choices.get(turn.parent) !== turn.id) journal.choose(turn.id);
  }
  tellConversation(core);
  core.transcript.print(entriesFrom(journal.conversation(), turnId));
}

function rename(core: SessionCore, title: string): void {
  core.journal().setTitle(title);
  tellConversation(core);
  core.transcript.print([notice(`this conversation is called ${title}`)]);
}

async function editExternally(core: SessionCore, text: string): Promise<void> {
  const { ports, screen, transcript } = core;
  try {
    core.dispatch({ type: 'editor-closed', text: await screen.lend(() => ports.edit(text)) });
  } catch (error) {
    const { message, hint } = failureText(error, ports.clean);
    transcript.print([{ type: 'failure', message, hint }]);
  }
}

const runners: Runners = {
  print: ({ transcript }, { entries }) => transcript.print(entries),
  ask: (core, { question, choices }) => runAsk(core, question, choices),
  stop: (core) => core.stop(),
  leave: (core) => core.leave(),
  suspend: ({ screen }) => screen.suspend(),
  redraw: ({ screen }) => screen.redraw(),
  'scroll-away': ({ screen }) => screen.scrollAway(),
  remember: ({ ports }, { text }) => ports.remember(text),
  'edit-externally': (core, { text }) => editExternally(core, text),
  'find-candidates': (core, { request }) => {
    const candidates = findCandidates(core, request);
    core.dispatch({ type: 'candidates-found', request, candidates });
  },
  'list-models': runListModels,
  attach: runAttach,
  copy: runCopy,
  save: runSave,
  'save-journal': runSaveJournal,
  choose: (core, { turnId }) => choose(core, turnId),
  rename: (core, { title }) => rename(core, title),
  'new-conversation': runNewConversation,
  resume: runResume,
  'list-conversations': runListConversations,
  // The transcript asks the state for its theme.
  'set-theme': ({ transcript }, { theme }) => transcript.print([notice(`the theme is ${theme}`)]),
  connect: runConnect,
  'find-servers': runFindServers,
};

/** Does what an effect says; what takes time gives a promise that does not reject. */
export function runEffect(core: SessionCore, effect: Effect): Promise<void> | void {
  // The table gives each type its own runner, which indexing by a union cannot express.
  const run = runners[effect.type] as (core: SessionCore, effect: Effect) => Promise<void> | void;
  return run(core, effect);
}
