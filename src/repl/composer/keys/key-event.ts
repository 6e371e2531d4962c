/**
 * A key that is not text. `name` is a character in lower case (`a`, `[`) or one of `enter`, `escape`, `tab`,
 * `backspace`, `delete`, `insert`, `home`, `end`, `pageup`, `pagedown`, `up`, `down`, `left`, `right`,
 * `space`, `f1` to `f12`.
 */
export interface KeyPress {
  readonly type: 'key';
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Keyboard input. Focus, mouse and terminal reports and key releases are not events. */
export type KeyEvent =
  | { readonly type: 'text'; readonly text: string }
  | KeyPress
  /** Line ends are `\n`. `keys`: the keys of one read that were joined into a paste but may have been typed. */
  | { readonly type: 'paste'; readonly text: string; readonly keys?: readonly KeyEvent[] };

export type Modifiers = Partial<KeyPress>;

export function keyPress(name: string, modifiers: Modifiers = {}): KeyPress {
  return { type: 'key', name, ctrl: false, alt: false, shift: false, ...modifiers };
}

/** Format of key bindings: `ctrl+alt+shift+name`, in this order. */
export function chordOf({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

/** Keys that a paste without brackets may consist of. */
const pastedKeys: Readonly<Record<string, string>> = { tab: '\t', enter: '\n', 'ctrl+j': '\n' };

const isEnter = (event: KeyEvent) => event.type === 'key' && event.name === 'enter';

/** Without bracketed paste, events of one read are a paste if text follows a line end: its lines are not sent. */
export function joinPasteBurst(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const first = events.findIndex(isEnter);
  if (first === -1 || !events.slice(first).some(({ type }) => type === 'text')) return events;
  const characters = events.map((event) => {
    return event.type === 'key' ? pastedKeys[chordOf(event)] : event.text;
  });
  if (characters.includes(undefined)) return events;
  return [{ type: 'paste', text: characters.join(''), keys: events }];
}

/** The keys of a burst up to its first Enter, and the rest as a burst. */
export function splitBurst(keys: readonly KeyEvent[]): readonly KeyEvent[] {
  const end = keys.findIndex(isEnter) + 1;
  return [...keys.slice(0, end), ...joinPasteBurst(keys.slice(end))];
}
