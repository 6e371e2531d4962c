import { lineFormat } from '../line-format.ts';
import type { ReplOptions } from '../repl-options.ts';
import { createSession, type Session } from '../session.ts';
import { createLineInput, type LineInput } from './line-input.ts';
import { createLineScreen, type LineScreen } from './line-screen.ts';

function lending(input: () => LineInput | undefined) {
  return async <Result>(use: () => Promise<Result>): Promise<Result> => {
    input()?.stop();
    try {
      return await use();
    } finally {
      input()?.start();
    }
  };
}

/** A session in plain labelled lines, for screen readers and dumb terminals. */
export function startLineMode(options: ReplOptions): Session {
  const { stdout, ports, device } = options;
  const screen: LineScreen = createLineScreen({
    write: (text) => void stdout.write(text),
    afterwards: (act) => void setImmediate(act),
    lend: lending(() => input),
    suspend: () => device.suspend(() => screen.redraw()),
    close: async () => input?.stop(),
  });
  let input: LineInput | undefined;
  const session: Session = createSession({
    ...options,
    screen: {
      ...screen,
      show(state) {
        screen.show(state);
        input?.adjust();
      },
    },
    format: () => lineFormat,
  });
  input = createLineInput({
    device,
    clock: ports.clock,
    dispatch: (action) => session.dispatch(action),
    isSecret: () => {
      const { dialog } = session.state();
      return dialog?.type === 'entry' && dialog.isHidden;
    },
    answered: screen.answered,
    endSecretLine: () => void stdout.write('\n'),
  });
  input.start();
  return session;
}
