import type { TerminalDevice } from '../../src/terminal/device/device.ts';

/** A {@link TerminalDevice} without a terminal, which a test controls. */
export interface MemoryDevice {
  readonly device: TerminalDevice;
  /** Text of `writeNow`, changes of the mode (`raw`, `cooked`), and `stopped`. */
  readonly log: string[];
  readonly type: (text: string) => void;
  readonly hangUp: () => void;
  readonly resize: () => void;
  readonly interrupt: () => void;
  /** SIGTERM. */
  readonly terminate: () => void;
  /** SIGUSR1. */
  readonly approachTimeLimit: () => void;
  /** Ctrl+Z in cooked mode. */
  readonly pressSuspend: () => void;
  /** SIGCONT, after natter or another process stopped it. */
  readonly resume: () => void;
  readonly exit: () => void;
}

function createEvent<Value = void>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    on: (listener: (value: Value) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit: (value: Value) => [...listeners].forEach((listener) => listener(value)),
  };
}

export function createMemoryDevice(): MemoryDevice {
  const log: string[] = [];
  const events = Array.from({ length: 8 }, () => createEvent());
  const [end, resize, interrupt, resume, exit, suspend, timeLimit, terminate] = events;
  if (!end || !resize || !interrupt || !resume || !exit || !suspend || !timeLimit || !terminate)
    throw new Error('too few events');
  const input = createEvent<Uint8Array>();
  let isRaw = false;
  const device: TerminalDevice = {
    listen(onBytes, onEnd) {
      const stops = [input.on(onBytes), end.on(onEnd)];
      return () => stops.forEach((stop) => stop());
    },
    setRaw(wanted) {
      if (wanted !== isRaw) log.push(wanted ? 'raw' : 'cooked');
      isRaw = wanted;
    },
    onResize: resize.on,
    checkSize: () => undefined,
    onInterrupt: interrupt.on,
    onTerminate: terminate.on,
    onTimeLimit: timeLimit.on,
    onSuspend: suspend.on,
    suspend(onContinue) {
      log.push('stopped');
      const forget = resume.on(() => {
        forget();
        onContinue();
      });
    },
    onContinue: resume.on,
    onExit: exit.on,
    writeNow: (text) => void log.push(text),
  };
  return {
    device,
    log,
    type: (text) => input.emit(Buffer.from(text)),
    hangUp: () => end.emit(),
    resize: () => resize.emit(),
    interrupt: () => interrupt.emit(),
    terminate: () => terminate.emit(),
    approachTimeLimit: () => timeLimit.emit(),
    pressSuspend: () => suspend.emit(),
    resume: () => resume.emit(),
    exit: () => exit.emit(),
  };
}
