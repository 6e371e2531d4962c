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

export type Modifiers = Partial<Pick<KeyPress, 'ctrl' | 'alt' | 'shift'>>;

export function keyPress(name: string, modifiers: Modifiers = {}): KeyPress {
  return { type: 'key', name, ctrl: false, alt: false, shift: false, ...modifiers };
}

/** Format of key bindings: `ctrl+alt+shift+name`, in this order. */
export function chordOf({ name, ctrl, alt, shift }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}
