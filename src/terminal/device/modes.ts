import type { TerminalTraits } from './traits.ts';

/** Pasted text arrives marked as such. */
const bracketedPaste = { enter: '\u001B[?2004h', leave: '\u001B[?2004l' };

/** The kitty protocol's first level: Esc and keys with Ctrl, Alt or Shift can be told apart; no key releases. */
const kittyKeys = { enter: '\u001B[>1u', leave: '\u001B[<u' };

/** xterm's modifyOtherKeys, first level; some terminals take it for colours, which the second part resets. */
const otherKeys = { enter: '\u001B[>4;1m\u001B[0m', leave: '\u001B[>4;0m\u001B[0m' };

/** Wraps lines, shows the cursor, ends an update that was cut off. */
const ordinaryScreen = '\u001B[?2026l\u001B[?7h\u001B[?25h\u001B[0m';

/** The sequences with which natter takes a terminal over, and those that bring it back to what shells expect. */
export function terminalModes({ hasKeyProtocols }: TerminalTraits): {
  readonly enter: string;
  readonly leave: string;
} {
  const modes = hasKeyProtocols ? [bracketedPaste, kittyKeys, otherKeys] : [bracketedPaste];
  const enter = modes.map((mode) => mode.enter).join('');
  const leave = modes.map((mode) => mode.leave).toReversed();
  return { enter, leave: leave.join('') + ordinaryScreen };
}
