import type { ReplState } from '../state/state.ts';

/** Names that other chat programs have for what natter calls otherwise, or has on its command line. */
const ways: Readonly<Record<string, string>> = {
  exit: '/quit leaves',
  q: '/quit leaves',
  bye: '/quit leaves',
  export: 'in a shell: natter conversations export ID',
  delete: 'in a shell: natter conversations delete ID',
  search: '/conversations TEXT searches them',
  history: '/conversations lists them; Ctrl-R searches your prompts',
  load: '/resume opens a conversation',
  open: '/resume opens a conversation',
  reset: '/new starts a conversation',
  file: '/attach adds a file to the next prompt',
  add: '/attach adds a file to the next prompt',
  tokens: '/usage shows the tokens',
  cost: '/usage shows the tokens',
  regenerate: '/retry sends the last prompt again',
  login: 'in a shell: natter auth login',
  connect: 'in a shell: natter auth login',
};

/** What does what a command of that name does elsewhere; undefined where nothing is known of it. */
export function wayElsewhere(name: string, { conversation }: ReplState): string | undefined {
  return Object.hasOwn(ways, name) ? ways[name]?.replace('ID', conversation.id) : undefined;
}
