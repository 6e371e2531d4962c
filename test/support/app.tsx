import { Box } from 'ink';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import type { ReplState } from '../../src/repl/state.ts';
import { createInkScreen } from '../../src/repl/screen/ink.tsx';
import { symbolsFor } from '../../src/repl/screen/symbols.ts';
import { ViewProvider } from '../../src/repl/screen/view.tsx';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';
import { run, type StateChange } from './repl-state.ts';

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
  const view = { state, style, symbols, columns, rows: state.rows, now, laidOut: () => undefined };
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
  const screen = createInkScreen();
  const frame = screen.draw(state, preview, { ...plain, ...look }, { columns, rows, hasOpenLine });
  screen.close();
  return frame;
}

interface FrameOptions {
  readonly preview?: string;
  readonly hasOpenLine?: boolean;
  readonly look?: Partial<typeof plain>;
}

/** As `run`, with the rows of the live region. */
export function runInApp(start: ReplState, ...changes: readonly StateChange[]) {
  const done = run(start, ...changes);
  return { ...done, rows: frameOf(done.state).rows };
}
