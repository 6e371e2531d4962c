import type { SettingValues } from '../settings/definitions.ts';
import { createTerminalWindow, windowWays } from '../terminal/window.ts';
import type { Context } from '../run.ts';

/**
 * Shows the state of a command in the title and the tab of the window that shows its standard error. `end` puts the
 * window back, as natter's end does.
 * @param animated false: nothing is written, as to a pipe or a dumb terminal
 */
export function openWindowStatus(
  { streams, environment, device }: Context,
  animated: boolean,
  { progress, windowTitle }: SettingValues,
) {
  const shown = animated
    ? { progress, title: windowTitle }
    : ({ progress: 'off', title: 'off' } as const);
  let forget: (() => void) | undefined;
  const close = (write: (sequences: string) => unknown) => {
    if (forget === undefined) return;
    forget();
    forget = undefined;
    write(window.modes.leave);
  };
  const window = createTerminalWindow(
    windowWays({ notify: 'off', ...shown }, environment),
    (sequence) => {
      void streams.stderr.write(forget === undefined ? window.modes.enter + sequence : sequence);
      forget ??= device.on('exit', () => close((text) => device.writeNow(text, 'stderr')));
    },
  );
  return {
    show: window.show,
    end: () => close((text) => streams.stderr.write(text)),
  };
}
