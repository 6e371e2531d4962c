import { startRawMode, type RawModeSession } from '../../terminal/device/raw-mode.ts';
import { createLiveRegion, type LiveRegion } from '../../terminal/live/live-region.ts';
import type { Style } from '../../terminal/style.ts';
import {
  createTerminalQueries,
  type TerminalQueries,
  type TerminalTraits,
} from '../../terminal/device/traits.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { ReplOptions, Screen } from '../session/ports.ts';
import type { AnswerFormatter } from '../session/transcript.ts';
import { createMarkdownLoader, richFormat } from '../text/transcript-formats.ts';
import { createSession, type Session } from '../session/session.ts';
import type { ReplState } from '../state/state.ts';
import { themedStyle } from '../text/themes.ts';
import { createDrawer, loadLayout } from '../view/draw-frame.tsx';
import { buildViewModel } from './build-view-model.ts';
import { createKeyInput, type KeyInput } from './key-input.ts';

export interface LiveOptions extends ReplOptions {
  readonly traits: TerminalTraits;
  readonly style: Style;
  /** The terminal can show characters such as `›`. */
  readonly unicode: boolean;
}

interface Live {
  readonly options: LiveOptions;
  readonly region: LiveRegion;
  readonly keys: KeyInput;
  readonly session: () => Session;
}

function enterRawMode({ options, region, keys, session }: Live): RawModeSession {
  const { device, traits, stdout } = options;
  const resize = () => {
    region.resized();
    session().dispatch({ type: 'resized', columns: stdout.columns(), rows: stdout.rows() });
  };
  return startRawMode(device, traits, {
    onInput: (bytes) => keys.feed(bytes),
    onResize: resize,
    onContinue() {
      region.resume();
      region.redraw();
      resize();
    },
    onEnd: () => session().dispatch({ type: 'input-ended' }),
    finalOutput: () => region.abandon(),
  });
}

async function lend<Result>(
  { region, options }: Live,
  rawMode: RawModeSession,
  use: () => Promise<Result>,
): Promise<Result> {
  region.suspend();
  rawMode.pause();
  // Ctrl-C belongs to the other program.
  const release = options.device.onInterrupt(() => undefined);
  try {
    return await use();
  } finally {
    release();
    rawMode.resume();
    region.resume();
  }
}

function screenOf(
  live: Live,
  rawModeOf: () => RawModeSession,
  show: (state: ReplState) => void,
): Screen {
  const { region, keys, options } = live;
  return {
    show,
    write(text) {
      region.commit(text);
      return region.slowness();
    },
    redraw: () => region.redraw(),
    scrollAway: () => region.commit('\n'.repeat(options.stdout.rows())),
    lend: (use) => lend(live, rawModeOf(), use),
    suspend() {
      region.suspend();
      rawModeOf().suspend();
    },
    async close() {
      keys.stop();
      try {
        region.close();
      } finally {
        rawModeOf().release();
      }
      await options.stdout.flush();
    },
  };
}

function openRegion(options: LiveOptions, queries: TerminalQueries): LiveRegion {
  const { stdout: output, ports, device, traits } = options;
  const { clock } = ports;
  const checkSize = () => device.checkSize();
  return createLiveRegion({ output, clock, checkSize, ...queries, ...traits });
}

/** Several lines, such as a table, are formatted as if the answer ended now; a partial line is shown as it is. */
function createPreview() {
  let source = '';
  let shown = '';
  return (
    { activity }: ReplState,
    formatter: () => AnswerFormatter | Promise<AnswerFormatter>,
  ): string => {
    const undecided = activity?.type === 'answer' ? activity.undecided : '';
    if (undecided === source) return shown;
    source = undecided;
    shown = undecided;
    const stream = undecided.includes('\n') ? formatter() : undefined;
    // An answer has undecided text only after the formatter was loaded, so this is not a promise.
    if (stream !== undefined && 'write' in stream) {
      const text = stream.write(undecided);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : undecided;
      shown = shown.replace(/\n+$/, '');
    }
    return shown;
  };
}

export async function startLive(options: LiveOptions): Promise<Session> {
  const { stdout, ports, unicode } = options;
  await loadLayout();
  const { clock } = ports;
  const queries = createTerminalQueries((text) => void stdout.write(text));
  const region = openRegion(options, queries);
  let session: Session;
  const onKeys = (events: readonly KeyEvent[]) => {
    const now = clock.monotonic();
    for (const event of events) session.dispatch({ type: 'key-pressed', event, now });
  };
  const keys = createKeyInput(clock, onKeys, queries.answered);
  const live: Live = { options, region, keys, session: () => session };
  const styleOf = ({ settings }: ReplState) => themedStyle(settings.theme, options.style);
  const markdown = createMarkdownLoader();
  const formatOf = (state: ReplState) => {
    const style = styleOf(state);
    const width = () => stdout.columns();
    return richFormat({ markdown, style, width, hyperlinks: style.colored, unicode });
  };
  const draw = createDrawer();
  const preview = createPreview();
  const show = (state: ReplState) =>
    region.render((place) => {
      const tail = preview(state, () => formatOf(state).answerText());
      return draw(buildViewModel(state, tail), { style: styleOf(state), unicode }, place);
    });
  const rawModeOf = (): RawModeSession => rawMode;
  session = createSession({
    ...options,
    screen: screenOf(live, rawModeOf, show),
    format: formatOf,
  });
  const rawMode = enterRawMode(live);
  return session;
}
