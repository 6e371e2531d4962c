import { Box } from 'ink';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import type { ReplState } from '../../src/repl/state.ts';
import { createInkScreen } from '../../src/repl/screen/ink.tsx';
import { symbolsFor } from '../../src/repl/screen/symbols.ts';
import { ViewProvider } from '../../src/repl/screen/view.tsx';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';
import { type KeyChange, run, type StateChange } from './repl-state.ts';

export interface Look {
  readonly columns?: number;
  readonly unicode?: boolean;
  readonly colored?: boolean;
  /** Milliseconds. */
  readonly now?: number;
}

/** The rows of a component of the REPL: by default plain text of 60 columns with typographic symbols. */
export function drawn(element: ReactElement, state: ReplState, look: Look = {}): string[] {
  const { columns = 60, unicode = true, colored = false, now = 0 } = look;
  const style = colored ? colorStyle : plainStyle;
  const symbols = symbolsFor(unicode);
  const shared = { laidOut: () => undefined, update: () => undefined, listeners: new Set<never>() };
  const place = { columns, rows: state.rows, hasTail: false };
  const view = { state, style, symbols, now, ...place, ...shared };
  const { lastFrame, unmount } = render(
    <ViewProvider value={view}>
      <Box flexDirection="column" width={columns}>
        {element}
      </Box>
    </ViewProvider>,
  );
  const frame = lastFrame() ?? '';
  unmount();
  return frame.split('\n');
}

const plain = { style: plainStyle, symbols: symbolsFor(true), now: 0 };

/** The frame that the live region puts on the terminal, in a window of the state's size. */
export function frameOf(
  state: ReplState,
  { preview = '', hasOpenLine = false, look = {} }: FrameOptions = {},
) {
  const { columns, rows } = state;
  const screen = createInkScreen(() => undefined);
  const frame = screen.draw(state, preview, { ...plain, ...look }, { columns, rows, hasOpenLine });
  screen.close();
  return frame;
}

interface FrameOptions {
  readonly preview?: string;
  readonly hasOpenLine?: boolean;
  readonly look?: Partial<typeof plain>;
}

/** As `run`, with the components of the application: they get keys first. */
export function runInApp(
  start: ReplState,
  ...changes: readonly StateChange[]
): ReturnType<typeof run> & { readonly rows: readonly string[] } {
  let done = run(start);
  const act = (change: StateChange) => {
    const next = run(done.state, change);
    const tasks = [...done.tasks, ...next.tasks];
    done = { state: next.state, tasks, effects: [...done.effects, ...next.effects] };
  };
  const screen = createInkScreen((change) =>
    act((state) => change({ ...state, armed: undefined })),
  );
  for (const change of changes) {
    const isTaken =
      'event' in change && screen.press(done.state, plain, (change as KeyChange).event);
    if (!isTaken) act(change);
  }
  const { columns, rows } = done.state;
  const frame = screen.draw(done.state, '', plain, { columns, rows, hasOpenLine: false });
  screen.close();
  return { ...done, rows: frame.rows };
}
