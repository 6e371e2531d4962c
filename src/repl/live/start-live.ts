import { startRawMode, type RawModeSession } from '../../terminal/device/raw-mode.ts';
import type { Clock } from '../../clock.ts';
import type { Frame } from '../../terminal/region/paint.ts';
import { LiveRegion, type RegionPlace } from '../../terminal/region/region.ts';
import type { OwnPaints, Style } from '../../terminal/style.ts';
import { createFormats } from './answer-formats.ts';
import type { TerminalTraits } from '../../terminal/device/traits.ts';
import type { KeyEvent } from '../editing/keys/key-event.ts';
import type { ReplOptions, Screen } from '../session/ports.ts';
import type { AnswerFormatter } from '../session/transcript.ts';
import { createSession, type Session } from '../session/session.ts';
import { createTicker } from '../session/timers.ts';
import type { ReplState } from '../state/state.ts';
import type { TerminalColors } from '../../terminal/themes.ts';
import { type Background, createBackground } from './background.ts';
import { createDrawer } from '../view/draw-frame.tsx';
import { spinnerPace } from '../view/status-row.ts';
import { buildViewModel } from './build-view-model.ts';
import { createKeyInput, type KeyInput } from './key-input.ts';
import type * as watching from './window-watch.ts';

export interface LiveOptions extends ReplOptions {
  readonly traits: TerminalTraits;
  /** The terminal is known to open links. */
  readonly opensLinks: boolean;
  readonly colors: TerminalColors;
  readonly style: Style;
  /** Of answers. */
  readonly ownPaints?: OwnPaints | undefined;
  /** The terminal can show characters such as `›`. */
  readonly unicode: boolean;
  /** Undefined: title, progress and notifications are left alone. */
  readonly window?: watching.WindowOptions;
}

interface Live {
  /** Loaded after the first frame. */
  window?: watching.WindowWatch;
  readonly background: Background;
  readonly options: LiveOptions;
  readonly region: LiveRegion;
  readonly keys: KeyInput;
  readonly session: () => Session;
}

function enterRawMode(live: Live): RawModeSession {
  const { options, region, keys, session } = live;
  const { device, traits, stdout } = options;
  const resize = () => {
    region.resized();
    session().dispatch({ type: 'resized', columns: stdout.columns(), rows: stdout.rows() });
  };
  return startRawMode(device, traits, {
    onInput: (bytes) => keys.feed(bytes),
    onResize: resize,
    onContinue() {
      live.window?.refresh();
      region.resume();
      region.redraw();
      resize();
    },
    onEnd: () => session().dispatch({ type: 'input-ended' }),
    finalOutput: () => region.abandon(),
  });
}

async function lend<Result>(
  live: Live,
  rawMode: RawModeSession,
  use: () => Promise<Result>,
): Promise<Result> {
  const { region, options } = live;
  region.suspend();
  rawMode.pause();
  // Ctrl+C belongs to the other program.
  const release = options.device.onInterrupt(() => undefined);
  try {
    return await use();
  } finally {
    release();
    rawMode.resume();
    live.window?.refresh();
    region.resume();
  }
}

function screenOf(
  live: Live,
  rawModeOf: () => RawModeSession,
  show: (state: ReplState) => void,
): Screen {
  const { region, keys, options, background } = live;
  return {
    show,
    write(text) {
      region.commit(text);
      return region.slowness();
    },
    nextUpdate: (skipsOne) => region.nextUpdate(skipsOne),
    redraw: () => region.redraw(),
    scrollAway: () => region.commit('\n'.repeat(options.stdout.rows())),
    lend: (use) => lend(live, rawModeOf(), use),
    suspend() {
      region.suspend();
      rawModeOf().suspend();
    },
    async close() {
      await background.settled();
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

/** Several lines, such as a table, are formatted as if the answer ended now; a partial line is shown as it is. */
function createPreview() {
  let source = '';
  let shown = '';
  return (
    { activity }: ReplState,
    formatter: () => AnswerFormatter | Promise<AnswerFormatter>,
  ): string => {
    const undecided = activity?.undecided ?? '';
    if (undecided === source) return shown;
    source = undecided;
    shown = undecided;
    const stream = undecided.includes('\n') ? formatter() : undefined;
    // An answer has undecided text only after the formatter was loaded, so this is not a promise.
    if (stream !== undefined && 'write' in stream) {
      const text = stream.write(undecided);
      const rest = typeof text === 'string' ? stream.end() : '';
      shown = typeof text === 'string' && typeof rest === 'string' ? text + rest : undecided;
      // It may continue an open line; Markdown drops the space before it.
      shown = shown.replace(/\n+$/, '');
      if (undecided.startsWith(' ')) shown = ` ${shown.trimStart()}`;
    }
    return shown;
  };
}

/** After the first frame, which needs none of it. */
async function watchWindow(live: Live, rawMode: RawModeSession): Promise<void> {
  const { options, region, session } = live;
  if (options.window === undefined) return;
  await options.ports.clock.sleep(0);
  const { WindowWatch } = await import('./window-watch.ts');
  if (session().state().hasQuit) return;
  live.window = new WindowWatch(options.window, (sequences) => region.writeAside(sequences));
  rawMode.extend(live.window.modes);
  live.window.show(session().state());
}

/** Shows states; while natter is busy, the spinner turns. */
function createShow(
  clock: Clock,
  region: LiveRegion,
  frameOf: (state: ReplState, place: RegionPlace) => Frame,
): (state: ReplState) => void {
  let shown: ReplState | undefined;
  const render = (state: ReplState) => region.render((place) => frameOf(state, place));
  const turn = () => shown && render(shown);
  const spinner = createTicker(clock, turn, spinnerPace);
  return (state) => {
    shown = state;
    spinner.run(state.activity !== undefined && !state.hasQuit);
    render(state);
  };
}

/** The open list of conversations; undefined if the composer is shown, or a dialog above the list. */
function drawList(
  { list, dialog, conversation, keyMap }: ReplState,
  look: { readonly style: Style; readonly unicode: boolean },
  place: RegionPlace,
): Frame | undefined {
  if (list === undefined || dialog !== undefined) return undefined;
  return list.code.listFrame(list, { ...look, keyMap, current: conversation.id }, place);
}

export async function startLive(options: LiveOptions): Promise<Session> {
  const { stdout, ports, unicode } = options;
  const { clock } = ports;
  const write = (text: string) => void stdout.write(text);
  const checkSize = () => options.device.checkSize();
  const region = new LiveRegion({ ...options.traits, output: stdout, clock, checkSize });
  let session: Session;
  const onKeys = (events: readonly KeyEvent[]) => {
    const now = clock.monotonic();
    for (const event of events) session.dispatch({ type: 'key-pressed', event, now });
  };
  const onChange = () => show(session.state());
  const background = createBackground({ ...options, clock, write, onChange });
  const keys = createKeyInput(clock, onKeys, (reply) => {
    if (reply.type === 'focus') live.window?.focus(reply.hasFocus);
    else background.answered(reply.shade);
  });
  const live: Live = { options, region, keys, background, session: () => session };
  const { frameStyleOf, formatOf } = createFormats(options, background);
  const draw = createDrawer();
  const preview = createPreview();
  const show = createShow(clock, region, (state, place) => {
    const look = { style: frameStyleOf(state), unicode, now: clock.monotonic() };
    const tail = () => preview(state, () => formatOf(state).answerText(0));
    return drawList(state, look, place) ?? draw(buildViewModel(state, tail()), look, place);
  });
  const rawModeOf = (): RawModeSession => rawMode;
  const screen = screenOf(live, rawModeOf, (state) => {
    live.window?.show(state);
    show(state);
  });
  session = createSession({ ...options, screen, format: formatOf });
  const rawMode = enterRawMode(live);
  background.ask();
  // Without its file, as after an update of natter, the window is left alone.
  watchWindow(live, rawMode).catch(() => undefined);
  return session;
}
