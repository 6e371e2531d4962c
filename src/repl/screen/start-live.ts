import type { Journal } from '../../conversation/journal/journal.ts';
import { startRawMode, type RawModeSession } from '../../terminal/device/raw-mode.ts';
import { terminalTraits, usesPromptMarks } from '../../terminal/device/terminal-kind.ts';
import { LiveRegion } from '../../terminal/region/region.ts';
import {
  createOwnPaints,
  type OwnPaints,
  type Style,
  themedStyle,
  weightStyle,
} from '../../terminal/style.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import { createSession } from '../create-session.ts';
import type { Repl, Screen, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import { onKey } from '../keys.ts';
import { quit, step } from '../step.ts';
import { createTicker } from '../timers.ts';
import { richFormat } from '../transcript/rich-format.ts';
import type { TranscriptFormat } from '../transcript/transcript.ts';
import { createBackground } from './background.ts';
import { InkScreen } from './ink.tsx';
import { createKeyInput } from '../composer/keys/key-parser.ts';
import { spinnerPace } from './StatusRow.tsx';
import { symbolsFor } from './symbols.ts';
import { WindowWatch } from './window-watch.ts';

/** Milliseconds after a change of the window's size in which the spinner stands: more changes may follow. */
const sizePause = 200;

/** Moves the cursor to the first column of the first row. */
const toTop = '\u001B[H';

/** The live region, and the terminal that it is drawn on. */
class LiveScreen implements Screen {
  readonly #repl: Repl;
  readonly #ownPaints: OwnPaints;
  readonly #traits;
  readonly #marks: boolean;
  readonly #region: LiveRegion;
  readonly #ink: InkScreen;
  readonly #keys;
  readonly #background;
  readonly #spinner;
  #shown: ReplState;
  #session: Session | undefined;
  #rawMode: RawModeSession | undefined;
  #window: WindowWatch | undefined;
  #sizedAt = Number.NEGATIVE_INFINITY;

  constructor(repl: Repl, state: ReplState) {
    const { context, presentation } = repl;
    const { clock, device, environment, streams } = context;
    const { style, colors } = presentation;
    const output = streams.stdout;
    this.#repl = repl;
    this.#ownPaints = createOwnPaints(repl.settings.colors, colors);
    this.#shown = state;
    this.#traits = { ...terminalTraits(environment), shapesCursor: state.vi !== undefined };
    const { promptMarks } = repl.settings.values;
    this.#marks = promptMarks === 'on' || (promptMarks === 'auto' && usesPromptMarks(environment));
    const traits = this.#traits;
    const checkSize = () => device.checkSize();
    this.#region = new LiveRegion({ traits, output, clock, checkSize });
    const write = (text: string) => void output.write(text);
    const canAsk = style.colored && traits.hasKeyProtocols;
    const onChange = () => this.#render();
    this.#background = createBackground({ canAsk, colors, clock, write, onChange });
    const onKeys = (events: readonly KeyEvent[]) => this.#onKeys(events);
    this.#keys = createKeyInput(clock, onKeys, (reply) => {
      if (reply.type === 'focus') this.#window?.focus(reply.hasFocus);
      else this.#background.answered(reply.shade);
    });
    this.#ink = new InkScreen(state, this.#look(), (change) => {
      this.#session?.update((before) => change({ ...before, armed: undefined }));
    });
    const turn = () => {
      if (clock.monotonic() - this.#sizedAt > sizePause) this.#render();
    };
    this.#spinner = createTicker(clock, turn, spinnerPace);
  }

  /** Takes keys for the session, and shows it in the window's title. */
  start(session: Session): void {
    const { context, settings } = this.#repl;
    const { device, environment, streams } = context;
    const { stdout } = streams;
    const { windowTitle: title, ...values } = settings.values;
    this.#session = session;
    const resize = () => {
      this.#sizedAt = context.clock.monotonic();
      this.#region.resized();
      const size = { columns: stdout.columns(), rows: stdout.rows() };
      session.update((state) => step({ ...state, ...size }));
    };
    this.#rawMode = startRawMode(device, this.#traits, {
      onInput: (bytes) => this.#keys.feed(bytes),
      onResize: resize,
      onContinue: () => {
        this.#window?.refresh();
        this.#region.resume();
        this.#region.redraw();
        resize();
      },
      onEnd: () => session.update(quit),
      finalOutput: () => this.#region.abandon(),
    });
    this.#window = new WindowWatch({ ...values, title, environment }, (sequences) =>
      this.#region.writeAside(sequences),
    );
    this.#rawMode.extend(this.#window.window.modes);
    this.#window.show(session.state());
    this.#background.ask();
  }

  /** Shows a state; while natter is busy, the spinner turns. */
  show(state: ReplState): void {
    this.#window?.show(state);
    this.#shown = state;
    this.#spinner.run((state.activity ?? state.aside) !== undefined && !state.hasQuit);
    this.#render();
  }

  write(text: string): Promise<void> | undefined {
    this.#region.commit(text);
    return this.#region.slowness();
  }

  redraw(): void {
    this.#region.redraw();
  }

  scrollAway(): void {
    // The first line ends move the cursor to the last row; each further one scrolls a row of text away, and no empty row.
    const { stdout } = this.#repl.context.streams;
    this.#region.suspend();
    void stdout.write('\r\n'.repeat(stdout.rows() - 1) + toTop);
    this.#region.resume();
  }

  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#region.suspend();
    this.#rawMode?.pause();
    // Ctrl+C belongs to the other program.
    const release = this.#repl.context.device.on('SIGINT', () => undefined);
    try {
      return await use();
    } finally {
      release();
      this.#rawMode?.resume();
      this.#window?.refresh();
      this.#region.resume();
    }
  }

  suspend(): void {
    this.#region.suspend();
    this.#rawMode?.suspend();
  }

  async close(): Promise<void> {
    await this.#background.settled();
    this.#keys.stop();
    try {
      this.#region.close();
      this.#ink.close();
    } finally {
      this.#rawMode?.release();
    }
    await this.#repl.context.streams.stdout.flush();
  }

  /** The format of the transcript, in the current theme. */
  formatOf(state: ReplState): TranscriptFormat {
    const { presentation, context } = this.#repl;
    const { unicode, opensLinks: hidesAddresses } = presentation;
    const style = this.#styleOf(state);
    const width = () => context.streams.stdout.columns();
    const shown = { style, hyperlinks: style.colored, hidesAddresses, marks: this.#marks };
    return richFormat({ ...shown, ...state.settings, width, unicode });
  }

  /** It has weights even without colours. */
  #styleOf({ settings: { theme } }: ReplState): Style {
    const { style: own } = this.#repl.presentation;
    const shown = own.colored || theme === 'plain' ? theme : 'mono';
    const base = own.colored ? own : weightStyle;
    return themedStyle(shown, base, this.#background.colors(), this.#ownPaints);
  }

  #look() {
    const { context, presentation } = this.#repl;
    const symbols = symbolsFor(presentation.unicode);
    return { style: this.#styleOf(this.#shown), symbols, now: context.clock.monotonic() };
  }

  #render(): void {
    this.#region.render((place) =>
      this.#ink.draw(this.#shown, this.#preview(), this.#look(), place),
    );
  }

  /** Several lines, such as a table, are formatted as if the answer ended now; a partial line is shown as it is. */
  #preview(): string {
    const undecided = this.#shown.activity?.undecided ?? '';
    if (!undecided.includes('\n')) return undecided;
    const stream = this.formatOf(this.#shown).answerText(0);
    // It may continue an open line; Markdown drops the space before it.
    const shown = (stream.write(undecided) + stream.end()).replace(/\n+$/, '');
    return undecided.startsWith(' ') ? ` ${shown.trimStart()}` : shown;
  }

  /** Keys are for the open components first. Those that wait for an editor or a list are for the session. */
  #onKeys(events: readonly KeyEvent[]): void {
    for (const event of events) {
      const isFree = this.#shown.typeAhead === undefined;
      if (isFree && this.#ink.press(this.#shown, event)) this.#render();
      else this.#session?.update((state) => onKey(state, event));
    }
  }
}

export async function startLive(repl: Repl, journal: Journal, state: ReplState): Promise<Session> {
  const screen = new LiveScreen(repl, state);
  const format = (shown: ReplState) => screen.formatOf(shown);
  const session = createSession({ repl, journal, state, screen, format });
  screen.start(session);
  return session;
}
