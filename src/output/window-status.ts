import type { SettingValues } from '../settings/definitions.ts';
import {
  TerminalWindow,
  windowModes,
  type WindowProgress,
  windowWays,
} from '../terminal/window.ts';
import type { Context } from '../run.ts';

/** The state of a command in the title and the tab of the window that shows its standard error. */
interface WindowStatus {
  /** Writes what has changed; `text` may have any characters. */
  show(text: string, progress: WindowProgress): void;
  /** Puts the window back, as natter's end does. */
  end(): void;
}

const noStatus: WindowStatus = { show: () => undefined, end: () => undefined };

/** @param animated false: nothing is written, as to a pipe or a dumb terminal */
export function openWindowStatus(
  { streams, environment, device }: Context,
  animated: boolean,
  { progress, windowTitle }: SettingValues,
): WindowStatus {
  const ways = windowWays({ notify: 'off', progress, title: windowTitle }, environment);
  if (!animated || !(ways.title || ways.progress)) return noStatus;
  const { enter, leave } = windowModes(ways);
  let isOpen = false;
  const window = new TerminalWindow(ways, (sequence) => {
    void streams.stderr.write(isOpen ? sequence : enter + sequence);
    isOpen = true;
  });
  const close = (write: (sequences: string) => unknown) => {
    if (isOpen) write(leave);
    isOpen = false;
  };
  const forget = device.onExit(() => close((text) => device.writeNow(text, 'stderr')));
  return {
    show: (text, value) => window.show(text, value),
    end() {
      forget();
      close((text) => streams.stderr.write(text));
    },
  };
}
