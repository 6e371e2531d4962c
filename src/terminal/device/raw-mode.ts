import type { TerminalDevice } from './device.ts';
import type { TerminalTraits } from './terminal-kind.ts';

/** The terminal marks pasted text. */
const bracketedPaste = { enter: '\u001B[?2004h', leave: '\u001B[?2004l' };

/** The kitty protocol's first level: Esc and keys with Ctrl, Alt or Shift are distinct; no key releases. */
const kittyKeys = { enter: '\u001B[>1u', leave: '\u001B[<u' };

/** xterm's modifyOtherKeys, first level. Some terminals read it as colours, which the second part resets. */
const otherKeys = { enter: '\u001B[>4;1m\u001B[0m', leave: '\u001B[>4;0m\u001B[0m' };

/** Wraps lines, shows the cursor, and ends an interrupted synchronized update. */
const ordinaryScreen = '\u001B[?2026l\u001B[?7h\u001B[?25h\u001B[0m';

/** The cursor's shape that the terminal is configured with (DECSCUSR). */
const ordinaryCursor = '\u001B[0 q';

/** Sequences that set modes for natter, and those that restore what shells expect. */
export interface TerminalModes {
  readonly enter: string;
  readonly leave: string;
}

export function terminalModes({ hasKeyProtocols, shapesCursor }: TerminalTraits): TerminalModes {
  const modes = hasKeyProtocols ? [bracketedPaste, kittyKeys, otherKeys] : [bracketedPaste];
  const enter = modes.map((mode) => mode.enter).join('');
  const leave = modes.map((mode) => mode.leave).toReversed();
  return {
    enter,
    leave: leave.join('') + (shapesCursor === true ? ordinaryCursor : '') + ordinaryScreen,
  };
}

/**
 * Sets the terminal to raw mode until `release`. If the process ends before that, even by a signal, the terminal is
 * restored, except after `kill -9`.
 */
export function startRawMode(
  device: TerminalDevice,
  traits: TerminalTraits,
  listener: {
    /** Input and replies of the terminal, unparsed. */
    readonly onInput: (bytes: Uint8Array) => void;
    readonly onResize: () => void;
    /** natter continues after being stopped; the screen content is unknown. */
    readonly onContinue: () => void;
    /** The terminal is closed. */
    readonly onEnd: () => void;
    /** Output to write if the process ends in raw mode; may be empty. */
    readonly finalOutput: () => string;
  },
) {
  let modes = terminalModes(traits);
  let stopReading: (() => void) | undefined;
  const enter = () => {
    if (stopReading !== undefined) return;
    stopReading = device.listen(listener.onInput, listener.onEnd);
    // Off first: while natter was stopped, the shell changed the mode without Node's knowledge.
    device.setRaw(false);
    device.setRaw(true);
    device.writeNow(modes.enter);
  };
  const leave = (finalOutput = '') => {
    if (stopReading === undefined) return;
    stopReading();
    stopReading = undefined;
    device.writeNow(finalOutput + modes.leave);
    device.setRaw(false);
  };
  const restart = () => {
    leave();
    enter();
    listener.onContinue();
  };
  const listen = () => [
    device.on('resize', listener.onResize),
    device.on('SIGCONT', restart),
    device.on('exit', () => leave(listener.finalOutput())),
  ];
  let stops = listen();
  const release = () => {
    for (const stop of stops) stop();
    leave();
  };
  enter();
  return {
    /** Sets further modes, now and whenever raw mode is on. */
    extend(further: TerminalModes): void {
      modes = { enter: modes.enter + further.enter, leave: further.leave + modes.leave };
      if (stopReading !== undefined) device.writeNow(further.enter);
    },
    /** Restores the terminal for another program. */
    pause: () => leave(),
    resume: enter,
    /** Suspends natter; `onContinue` is called when it continues. */
    suspend(): void {
      release();
      device.suspend(() => {
        stops = listen();
        restart();
      });
    },
    release,
  };
}
