import type { TerminalDevice } from './device.ts';
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

/** What a terminal that is held tells. */
export interface TerminalListener {
  /** What is typed or pasted, and answers of the terminal, as they come. */
  readonly onInput: (bytes: Uint8Array) => void;
  /** The window has another size. */
  readonly onResize: () => void;
  /** natter goes on after it was stopped: the screen may hold anything. */
  readonly onContinue: () => void;
  /** The terminal is gone: nobody will type again. */
  readonly onEnd: () => void;
  /** What to write last, should the process end while the terminal is held; may be empty. */
  readonly finalOutput: () => string;
}

/** A terminal taken over: keys come one by one, pastes marked. */
export interface RawModeSession {
  /** Gives the terminal to another program, and every key with it. */
  pause(): void;
  resume(): void;
  /** Stops natter as Ctrl-Z does; `onContinue` is called when it goes on. */
  suspend(): void;
  /** Brings the terminal back to how it was. */
  release(): void;
}

interface Switch {
  on(): void;
  /** Writes `finalOutput` first. */
  off(finalOutput?: string): void;
}

/** Raw input and the modes of `modes.ts`, together. */
function createSwitch(
  device: TerminalDevice,
  traits: TerminalTraits,
  { onInput, onEnd }: TerminalListener,
): Switch {
  const modes = terminalModes(traits);
  let stopReading: (() => void) | undefined;
  return {
    on() {
      if (stopReading !== undefined) return;
      stopReading = device.listen(onInput, onEnd);
      // Off first: while natter was stopped, the shell changed the terminal without Node's knowledge.
      device.setRaw(false);
      device.setRaw(true);
      device.writeNow(modes.enter);
    },
    off(finalOutput = '') {
      if (stopReading === undefined) return;
      stopReading();
      stopReading = undefined;
      device.writeNow(finalOutput + modes.leave);
      device.setRaw(false);
    },
  };
}

/**
 * Takes the terminal over until `release`. However the process ends before that, by a signal too, the terminal
 * is brought back; only what nobody can catch (`kill -9`) leaves it as it is.
 */
export function startRawMode(
  device: TerminalDevice,
  traits: TerminalTraits,
  listener: TerminalListener,
): RawModeSession {
  const held = createSwitch(device, traits, listener);
  const goOn = () => {
    held.off();
    held.on();
    listener.onContinue();
  };
  const listen = () => [
    device.onResize(listener.onResize),
    device.onContinue(goOn),
    device.onExit(() => held.off(listener.finalOutput())),
  ];
  let stops = listen();
  const leave = () => {
    for (const stop of stops) stop();
    held.off();
  };
  held.on();
  return {
    pause: () => held.off(),
    resume: () => held.on(),
    suspend() {
      leave();
      device.suspend(() => {
        stops = listen();
        goOn();
      });
    },
    release: leave,
  };
}
