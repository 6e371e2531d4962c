import type { EditAction } from '../edit-actions.ts';

/** Which part of the screen handles keys. `completion` is an open menu, `search` the history search, `list` the list of conversations. */
export type KeyContext = 'composer' | 'completion' | 'search' | 'list';

/** An `EditAction` changes the buffer only; the others concern the session. */
export type KeyAction =
  | EditAction
  | 'send'
  | 'stop'
  /** Stop the answer; else clear the draft; else, pressed again, quit. */
  | 'interrupt'
  /** Delete to the right; quit if the composer is empty. */
  | 'delete-right-or-quit'
  | 'move-up'
  | 'move-down'
  | 'move-page-up'
  | 'move-page-down'
  | 'history-older'
  | 'history-newer'
  | 'complete'
  /** Complete a command; in other menus, select the next candidate. */
  | 'completion-tab'
  | 'completion-next'
  | 'completion-previous'
  | 'completion-accept'
  | 'completion-close'
  | 'search-start'
  | 'search-older'
  | 'search-newer'
  | 'search-shorten'
  | 'search-accept'
  | 'search-cancel'
  | 'list-open'
  | 'list-close'
  | 'list-search'
  | 'list-previous'
  | 'list-next'
  | 'list-page-up'
  | 'list-page-down'
  | 'list-first'
  | 'list-last'
  | 'list-shorten'
  | 'list-shorten-word'
  | 'list-clear'
  | 'list-quit'
  | 'version-next'
  | 'version-previous'
  | 'open-editor'
  | 'stash'
  | 'suspend'
  | 'redraw';

export interface KeyBinding {
  /** Chords in the format of `chordOf`. */
  readonly keys: readonly string[];
  readonly when: KeyContext | 'anywhere';
  readonly action: KeyAction;
  /** One line for `/help keys`. */
  readonly summary: string;
}

function rows(
  when: KeyBinding['when'],
  ...bindings: readonly (readonly [keys: string, action: KeyAction, summary: string])[]
): KeyBinding[] {
  return bindings.map(([keys, action, summary]) => ({
    keys: keys.split(' '),
    when,
    action,
    summary,
  }));
}

/** Every key of the REPL, in the order of `/help keys`. */
export const keyBindings: readonly KeyBinding[] = [
  ...rows(
    'composer',
    ['enter', 'send', 'send, or queue while an answer streams'],
    ['shift+enter alt+enter ctrl+j ctrl+enter', 'new-line', 'new line (or \\ and Enter)'],
    ['escape', 'stop', 'stop the answer and keep its text'],
  ),
  ...rows(
    'anywhere',
    ['ctrl+c', 'interrupt', 'stop the answer, else clear the draft, else quit'],
    ['ctrl+z', 'suspend', 'suspend; fg resumes'],
    ['ctrl+l', 'redraw', 'redraw'],
  ),
  ...rows(
    'composer',
    ['ctrl+d', 'delete-right-or-quit', 'quit, if the draft is empty'],
    ['tab', 'complete', 'complete a command, its argument or an @file'],
    ['ctrl+r', 'search-start', 'search the prompt history'],
    ['ctrl+g', 'open-editor', 'edit the draft in $VISUAL or $EDITOR'],
    ['ctrl+s', 'stash', 'put the draft aside, or bring it back'],
    ['shift+right alt+.', 'version-next', 'next version of the last answer'],
    ['shift+left alt+,', 'version-previous', 'previous version of the last answer'],
    ['ctrl+o', 'expand-paste', 'show the paste at the caret as text'],
    ['up ctrl+p', 'move-up', 'one row up, then older prompts'],
    ['down ctrl+n', 'move-down', 'one row down, then newer prompts'],
    ['ctrl+up alt+up alt+p', 'history-older', 'older prompt'],
    ['ctrl+down alt+down alt+n', 'history-newer', 'newer prompt'],
    ['pageup', 'move-page-up', 'one page up'],
    ['pagedown', 'move-page-down', 'one page down'],
    ['left ctrl+b', 'move-left', 'one character left'],
    ['right ctrl+f', 'move-right', 'one character right'],
    ['ctrl+left alt+left alt+b', 'move-word-left', 'one word left'],
    ['ctrl+right alt+right alt+f', 'move-word-right', 'one word right'],
    ['home ctrl+a', 'move-line-start', 'start of the line'],
    ['end ctrl+e', 'move-line-end', 'end of the line'],
    ['ctrl+home alt+< alt+shift+,', 'move-text-start', 'start of the text'],
    ['ctrl+end alt+> alt+shift+.', 'move-text-end', 'end of the text'],
    ['backspace shift+backspace ctrl+h', 'delete-left', 'delete the character before'],
    ['delete shift+delete', 'delete-right', 'delete the character after'],
    ['ctrl+w', 'kill-blank-word-left', 'cut the text before, up to a space'],
    ['alt+backspace ctrl+backspace', 'kill-word-left', 'cut the word before'],
    ['alt+d ctrl+delete alt+delete', 'kill-word-right', 'cut the word after'],
    ['ctrl+u', 'kill-line-start', 'cut to the start of the line'],
    ['ctrl+k', 'kill-line-end', 'cut to the end of the line'],
    ['ctrl+y', 'yank', 'paste the last cut'],
    ['alt+y', 'yank-pop', 'replace it with the previous cut'],
    ['ctrl+_ ctrl+shift+- ctrl+- ctrl+/', 'undo', 'undo'],
    ['alt+_ alt+shift+- ctrl+shift+z', 'redo', 'redo'],
    ['ctrl+t', 'transpose', 'swap two characters'],
  ),
  ...rows(
    'completion',
    ['tab', 'completion-tab', 'complete the command; else next completion'],
    ['down ctrl+n', 'completion-next', 'next completion'],
    ['shift+tab up ctrl+p', 'completion-previous', 'previous completion'],
    ['enter', 'completion-accept', 'accept the completion'],
    ['escape', 'completion-close', 'close the completions'],
  ),
  ...rows(
    'search',
    ['ctrl+r up', 'search-older', 'older match'],
    ['ctrl+s down', 'search-newer', 'newer match'],
    ['enter tab right end ctrl+e', 'search-accept', 'use the match as the draft'],
    ['escape ctrl+g', 'search-cancel', 'return to the draft'],
    ['backspace ctrl+h', 'search-shorten', 'delete the last character of the search'],
  ),
  ...rows(
    'list',
    ['enter', 'list-open', 'open the conversation'],
    ['escape ctrl+g', 'list-close', 'return to the composer'],
    ['tab ctrl+f', 'list-search', 'search the texts, or filter by title again'],
    ['up ctrl+p', 'list-previous', 'newer conversation'],
    ['down ctrl+n', 'list-next', 'older conversation'],
    ['pageup', 'list-page-up', 'one page up'],
    ['pagedown', 'list-page-down', 'one page down'],
    ['home ctrl+home', 'list-first', 'newest conversation'],
    ['end ctrl+end', 'list-last', 'oldest conversation'],
    ['backspace ctrl+h', 'list-shorten', 'delete the last character of the filter'],
    ['ctrl+w alt+backspace', 'list-shorten-word', 'delete its last word'],
    ['ctrl+u', 'list-clear', 'delete the filter'],
    ['ctrl+d', 'list-quit', 'quit, if the filter is empty'],
  ),
];

/** Labels that are not just the capitalized name. */
const keyNames: Readonly<Record<string, string>> = {
  pageup: 'PgUp',
  pagedown: 'PgDn',
  escape: 'Esc',
};

/** A chord as printed on keyboards: `Ctrl+A`, `Shift+Enter`, `PgUp`. */
export function keyLabel(chord: string): string {
  return chord.replaceAll(/(?<=^|\+)[a-z]+/g, (name) => {
    return keyNames[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
  });
}
