import { startRawMode, type RawModeSession } from '../../terminal/device/raw-mode.ts';
import { createLiveRegion, type LiveRegion } from '../../terminal/live/live-region.ts';
import type { Style } from '../../terminal/style.ts';
import {
  createTerminalQuestions,
  type TerminalQuestions,
} from '../../terminal/device/terminal-questions.ts';
import type { TerminalTraits } from '../../terminal/device/traits.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { ReplOptions } from '../session/ports.ts';
import { createMarkdownLoader, richFormat } from '../text/rich-format.ts';
import type { Screen } from '../session/screen.ts';
import { createSession, type Session } from '../session/session.ts';
import type { ReplState } from '../state/state.ts';
import { themedStyle } from '../text/themes.ts';
import { loadLayout, mountView } from '../view/mount-view.ts';
import { createKeyInput, type KeyInput } from './key-input.ts';
import { createPreview } from './preview.ts';
import { viewOf } from './build-view-model.ts';

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

function openRegion(options: LiveOptions, questions: TerminalQuestions): LiveRegion {
  const { stdout: output, ports, device, traits } = options;
  const { clock } = ports;
  const checkSize = () => device.checkSize();
  return createLiveRegion({ output, clock, checkSize, ...questions, ...traits });
}

export async function startLive(options: LiveOptions): Promise<Session> {
  const { stdout, ports, unicode } = options;
  await loadLayout();
  const { clock } = ports;
  const questions = createTerminalQuestions((text) => void stdout.write(text));
  const region = openRegion(options, questions);
  let session: Session;
  const onKeys = (events: readonly KeyEvent[]) => {
    const now = clock.monotonic();
    for (const event of events) session.dispatch({ type: 'key-pressed', event, now });
  };
  const keys = createKeyInput(clock, onKeys, questions.answered);
  const live: Live = { options, region, keys, session: () => session };
  const styleOf = ({ choices }: ReplState) => themedStyle(choices.theme, options.style);
  const markdown = createMarkdownLoader();
  const formatOf = (state: ReplState) => {
    const style = styleOf(state);
    const width = () => stdout.columns();
    return richFormat({ markdown, style, width, hyperlinks: style.colored, unicode });
  };
  let shown = options.state;
  const preview = createPreview();
  const view = mountView({ region, look: () => ({ style: styleOf(shown), unicode }) });
  const tailOf = (state: ReplState) => preview(state, () => formatOf(state).answerText());
  const show = (state: ReplState) => {
    shown = state;
    view.update(() => viewOf(state, tailOf(state)));
  };
  const raw = (): RawModeSession => rawMode;
  session = createSession({
    ...options,
    screen: screenOf(live, raw, show),
    format: formatOf,
  });
  const rawMode = enterRawMode(live);
  return session;
}
