import type { Clock } from '../../clock.ts';
import { loadOwnPaints } from '../../output/answer-output.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import type { Presentation } from '../../run.ts';
import { startRawMode, type RawModeSession } from '../../terminal/device/raw-mode.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { terminalTraits, type TerminalTraits } from '../../terminal/device/terminal-kind.ts';
import type { Frame } from '../../terminal/region/paint.ts';
import { LiveRegion, type RegionPlace } from '../../terminal/region/region.ts';
import { type Style, type OwnPaints, weightStyle, themedStyle } from '../../terminal/style.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import { createSession } from '../create-session.ts';
import type { Repl, Screen, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import { richFormat } from '../transcript/rich-format.ts';
import { createTicker } from '../timers.ts';
import type { AnswerFormatter, TranscriptFormat } from '../transcript/transcript.ts';
import { type Background, createBackground } from './background.ts';
import { InkScreen } from './ink.tsx';
import { createKeyInput, type KeyInput } from './key-input.ts';
import { spinnerPace } from './StatusRow.tsx';
import { WindowWatch } from './window-watch.ts';

/** The style of the live region, and the format of the transcript, in the current theme. */
function createFormats(
  { style: own, unicode, opensLinks: hidesAddresses }: Presentation,
  stdout: OutputStream,
  ownPaints: OwnPaints | undefined,
  background: Background,
) {
  const width = () => stdout.columns();
  const hasColors = own.colored;
  const base = hasColors ? own : weightStyle;
  const styleOf = ({ settings: { theme } }: ReplState, paints?: OwnPaints): Style => {
    const shown = hasColors || theme === 'plain' ? theme : 'mono';
    return themedStyle(shown, base, background.colors(), paints);
  };
  const frameStyleOf = (state: ReplState) => styleOf(state);
  return {
    frameStyleOf,
    formatOf: (state: ReplState): TranscriptFormat => {
      const style = styleOf(state, ownPaints);
      const shown = { style, frameStyle: frameStyleOf(state), hyperlinks: style.colored };
      return richFormat({ ...shown, ...state.settings, hidesAddresses, width, unicode });
    },
  };
}

interface Live {
  readonly repl: Repl;
  readonly traits: TerminalTraits;
  window?: WindowWatch;
  readonly background: Background;
  readonly region: LiveRegion;
  readonly keys: KeyInput;
  readonly ink: InkScreen;
  readonly session: () => Session;
}

function enterRawMode(live: Live): RawModeSession {
  const { repl, traits, region, keys, session } = live;
  const { device, streams } = repl.context;
  const { stdout } = streams;
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
  const { repl, region } = live;
  region.suspend();
  rawMode.pause();
  // Ctrl+C belongs to the other program.
  const release = repl.context.device.onInterrupt(() => undefined);
  try {
    return await use();
  } finally {
    release();
    rawMode.resume();
    live.window?.refresh();
    region.resume();
  }
}

/** Moves the cursor to the first column of the first row. */
const toTop = '\u001B[H';

function screenOf(
  live: Live,
  rawModeOf: () => RawModeSession,
  show: (state: ReplState) => void,
): Screen {
  const { region, keys, repl, background } = live;
  const { stdout } = repl.context.streams;
  return {
    show,
    write(text) {
      region.commit(text);
      return region.slowness();
    },
    nextUpdate: () => region.nextUpdate(),
    redraw: () => region.redraw(),
    // From the row below the text to the last row, and then as many rows as have text: no empty ones.
    scrollAway: () => region.commit(`${'\n'.repeat(stdout.rows() - 1)}${toTop}\n`),
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
        live.ink.close();
      } finally {
        rawModeOf().release();
      }
      await stdout.flush();
    },
  };
}

/** Several lines, such as a table, are formatted as if the answer ended now; a partial line is shown as it is. */
function createPreview() {
  let source = '';
  let shown = '';
  return ({ activity }: ReplState, formatter: () => AnswerFormatter): string => {
    const undecided = activity?.undecided ?? '';
    if (undecided === source) return shown;
    source = undecided;
    shown = undecided;
    const stream = undecided.includes('\n') ? formatter() : undefined;
    if (stream !== undefined) {
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

/** Milliseconds after a change of the window's size in which the spinner stands: more changes may follow. */
const sizePause = 200;

/** Shows states; while natter is busy, the spinner turns. */
function createShow(
  clock: Clock,
  region: LiveRegion,
  frameOf: (state: ReplState, place: RegionPlace) => Frame,
): (state: ReplState) => void {
  let shown: ReplState | undefined;
  const render = (state: ReplState) => region.render((place) => frameOf(state, place));
  let sizedAt = Number.NEGATIVE_INFINITY;
  const turn = () => {
    if (shown !== undefined && clock.monotonic() - sizedAt > sizePause) render(shown);
  };
  const spinner = createTicker(clock, turn, spinnerPace);
  return (state) => {
    const isResized = shown?.columns !== state.columns || shown.rows !== state.rows;
    if (isResized) sizedAt = clock.monotonic();
    shown = state;
    spinner.run(state.activity !== undefined && !state.hasQuit);
    render(state);
  };
}

export async function startLive(repl: Repl, journal: Journal, state: ReplState): Promise<Session> {
  const { context, settings, presentation } = repl;
  const { clock, device, environment, streams } = context;
  const { style, unicode, colors } = presentation;
  const output = streams.stdout;
  const write = (text: string) => void output.write(text);
  const traits = { ...terminalTraits(environment), shapesCursor: state.vi !== undefined };
  const ownPaints = await loadOwnPaints(settings.colors, colors);
  const checkSize = () => device.checkSize();
  const region = new LiveRegion({ ...traits, output, clock, checkSize });
  let session: Session;
  const lookOf = (shown: ReplState) => {
    return { style: frameStyleOf(shown), unicode, now: clock.monotonic() };
  };
  const onChange = () => show(session.state());
  const onKeys = (events: readonly KeyEvent[]) => {
    for (const event of events) {
      if (ink.press(session.state(), event)) onChange();
      else session.dispatch({ type: 'key-pressed', event, now: clock.monotonic() });
    }
  };
  const background = createBackground({ style, colors, traits, clock, write, onChange });
  const keys = createKeyInput(clock, onKeys, (reply) => {
    if (reply.type === 'focus') live.window?.focus(reply.hasFocus);
    else background.answered(reply.shade);
  });
  const { frameStyleOf, formatOf } = createFormats(presentation, output, ownPaints, background);
  const ink = new InkScreen(state, lookOf(state), (change) => {
    session.update((before) => change({ ...before, now: clock.monotonic(), isQuitArmed: false }));
  });
  const live: Live = { repl, traits, region, keys, background, ink, session: () => session };
  const preview = createPreview();
  const show = createShow(clock, region, (shown, place) =>
    ink.draw(
      shown,
      preview(shown, () => formatOf(shown).answerText(0)),
      lookOf(shown),
      place,
    ),
  );
  const rawModeOf = (): RawModeSession => rawMode;
  const screen = screenOf(live, rawModeOf, (shown) => {
    live.window?.show(shown);
    show(shown);
  });
  session = createSession({ repl, journal, state, screen, format: formatOf });
  const rawMode = enterRawMode(live);
  const { windowTitle: title, ...values } = settings.values;
  live.window = new WindowWatch({ ...values, title, environment }, (sequences) =>
    region.writeAside(sequences),
  );
  rawMode.extend(live.window.modes);
  live.window.show(session.state());
  background.ask();
  return session;
}
