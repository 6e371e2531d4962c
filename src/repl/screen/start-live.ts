import { createTicker } from '../../clock.ts';
import { timeText } from '../../conversation/prompt-time.ts';
import type { Journal } from '../../conversation/journal/journal.ts';
import { startRawMode } from '../../terminal/device/raw-mode.ts';
import {
  terminalTraits,
  type TerminalTraits,
  usesPromptMarks,
} from '../../terminal/device/terminal-kind.ts';
import {
  type MarkdownStreamOptions,
  ScreenMarkdown,
} from '../../terminal/markdown/markdown-stream.ts';
import { LiveRegion } from '../../terminal/region/region.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  createOwnPaints,
  type TerminalColors,
  themedStyle,
  weightStyle,
} from '../../terminal/style.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { createSession } from '../create-session.ts';
import type { Repl, Screen, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import { onKey } from '../keys.ts';
import { quit, step } from '../step.ts';
import type { TranscriptFormat } from '../transcript/transcript.ts';
import { createInkScreen } from './ink.tsx';
import { createKeyInput } from '../composer/keys/key-parser.ts';
import { isComposing } from '../composer/vi/vi-keys.ts';
import { spinnerPace } from './App.tsx';
import { symbolsFor } from './symbols.ts';
import { watchWindow } from './window-watch.ts';

/** Milliseconds after a change of the window's size in which the spinner stands: more changes may follow. */
const sizePause = 200;

/** Moves the cursor to the first column of the first row. */
const toTop = '\u001B[H';

/** Asks the terminal for its background. */
const backgroundQuery = '\u001B]11;?\u001B\\';
/** Milliseconds; a later reply changes nothing, because text is on the screen already. */
const maxReply = 1000;
/** Milliseconds before natter leaves the terminal; terminals reply much sooner, also over ssh. */
const lastWait = 200;

const indent = '  ';

/** The format of terminals with escape codes: answers as Markdown, prompts on a band, failures marked, replies to commands as they are, the rest dim. */
export function richFormat(
  /** With `marks`, prompts and answers are marked for the terminal. */
  options: MarkdownStreamOptions & { readonly marks?: boolean },
): TranscriptFormat {
  const { style, unicode } = options;
  const { mark, cross, dot } = symbolsFor(unicode);
  // A row of full width leaves the cursor in a pending-wrap state in some terminals.
  const columns = () =>
    options.wrap === 'none' ? Number.POSITIVE_INFINITY : Math.max(1, options.width() - 1);
  const hanging = (text: string) => hangText(text, columns(), indent);
  const dim = (text: string) => `${style.dim(text)}\n`;
  const semanticMark = (name: string) =>
    options.marks === true ? `\u001B]133;${name}\u001B\\` : '';
  return {
    prompt({ text }) {
      const sent = style.bold(hanging(sanitize(text)));
      const shown = style.band(`${style.inverse(style.cyan(mark))} ${sent}`);
      // When the window is resized, kitty erases the prompt and expects a redraw. `redraw=0` turns that off.
      return `${semanticMark('A;redraw=0')}${shown}${semanticMark('B')}\n`;
    },
    mark: semanticMark,
    command: ({ text }) => dim(`${mark} ${hanging(sanitize(text))}`),
    answerHead: () => '',
    reasoningHead: '',
    reasoning: (text) => style.dim(text),
    reasoningWidth: columns,
    answerText() {
      return new ScreenMarkdown({ ...options, codeHint: (block) => `/copy ${block}` });
    },
    closing({ facts, version, time }) {
      const known = sanitizeLine([...facts, ...(version === undefined ? [] : [version])].join(dot));
      const times = time === undefined ? [] : [timeText(time), time.clock];
      // As far as there is room for it, the row has the time, and then the hint.
      const lines = [...times.map((text) => `${known}${dot}${text}`), known];
      const hint = version === undefined ? [] : ['; /version switches'];
      const rows = lines.flatMap((line) => [...hint.map((text) => line + text), line]);
      return dim(hanging(rows.find((row) => displayWidth(row) <= columns()) ?? known));
    },
    output: ({ text }) => sanitize(text),
    notice({ text }, isReply) {
      // Each line separately, because the lines of a table are not indented; a line that fits stays as it is.
      const lines = sanitize(text).split('\n');
      const rows = lines
        .map((line) => (displayWidth(line) <= columns() ? line : hanging(line)))
        .join('\n');
      return isReply === true ? `${rows}\n` : dim(rows);
    },
    aside({ question, text }) {
      const width = () => options.width() - indent.length;
      const stream = new ScreenMarkdown({ ...options, width });
      const lines = (stream.write(sanitize(text)) + stream.end()).trimEnd().split('\n');
      const rows = lines.map((line) => (line === '' ? '\n' : `${indent}${line}\n`));
      const head = dim(hanging(`${mark} btw: ${sanitize(question)}`));
      return text === '' ? head : head + rows.join('');
    },
    failure({ message, hint }) {
      const failed = style.red(`${cross} ${hanging(sanitizeLine(message))}`);
      return `${failed}\n${hint === undefined ? '' : dim(indent + hanging(sanitizeLine(hint)))}`;
    },
    separator: '\n',
  };
}

/**
 * How the live region and the transcript look, which depends on the theme and on the background that the terminal
 * reports.
 */
function createLooks(
  { context, presentation, settings }: Repl,
  { hasKeyProtocols }: TerminalTraits,
) {
  const { clock, environment, streams } = context;
  const { style, colors, unicode, opensLinks: hidesAddresses } = presentation;
  const { promptMarks } = settings.values;
  const marks = promptMarks === 'on' || (promptMarks === 'auto' && usesPromptMarks(environment));
  const ownPaints = createOwnPaints(settings.colors, colors);
  const symbols = symbolsFor(unicode);
  let { background } = colors;
  let askedAt = Number.NEGATIVE_INFINITY;
  const replied = new AbortController();
  const awaitsReply = () => !replied.signal.aborted && clock.monotonic() - askedAt <= maxReply;
  /** It has weights even without colours. */
  const styleOf = ({ settings: { theme } }: ReplState) => {
    const shown = style.colored || theme === 'plain' ? theme : 'mono';
    const base = style.colored ? style : weightStyle;
    return themedStyle(shown, base, { ...colors, background }, ownPaints);
  };
  /** The format of the transcript. */
  const formatOf = (state: ReplState): TranscriptFormat => {
    const shown = styleOf(state);
    const width = () => streams.stdout.columns();
    const links = { hyperlinks: shown.colored, hidesAddresses };
    return richFormat({ style: shown, ...links, marks, ...state.settings, width, unicode });
  };
  return {
    look: (state: ReplState) => ({ style: styleOf(state), symbols, now: clock.monotonic() }),
    formatOf,
    ask(): void {
      // Elsewhere the reply could be shown.
      if (!style.colored || !hasKeyProtocols || background !== undefined) return;
      askedAt = clock.monotonic();
      void streams.stdout.write(backgroundQuery);
    },
    onReply(shade: TerminalColors['background']): void {
      if (awaitsReply()) background = shade;
      replied.abort('replied');
    },
    /** Waits for a late reply, which would else appear in the shell. */
    async settled(): Promise<void> {
      // Rejects as soon as the reply arrives.
      if (awaitsReply()) await clock.sleep(lastWait, replied.signal).catch(() => undefined);
    },
  };
}

/** The end of the answer. Several lines, such as a table, are formatted as if it ended now; a partial line is shown as it is. */
function previewOf(state: ReplState, formatOf: (state: ReplState) => TranscriptFormat): string {
  const undecided = state.activity?.undecided ?? '';
  if (!undecided.includes('\n')) return undecided;
  const stream = formatOf(state).answerText(0);
  // It may continue an open line; Markdown drops the space before it.
  const shown = (stream.write(undecided) + stream.end()).replace(/\n+$/, '');
  return undecided.startsWith(' ') ? ` ${shown.trimStart()}` : shown;
}

/** Starts a session in the live region, with the terminal in raw mode. */
export async function startLive(repl: Repl, journal: Journal, state: ReplState): Promise<Session> {
  const { clock, device, environment, streams } = repl.context;
  const { stdout } = streams;
  const traits = { ...terminalTraits(environment), shapesCursor: state.vi !== undefined };
  const looks = createLooks(repl, traits);
  let shown = state;
  let sizedAt = Number.NEGATIVE_INFINITY;
  const checkSize = () => device.checkSize();
  const region = new LiveRegion({ traits, output: stdout, clock, checkSize });
  const ink = createInkScreen((change) => {
    session.update((before) => change({ ...before, armed: undefined }));
  });
  const render = () =>
    region.render((place) =>
      ink.draw(shown, previewOf(shown, looks.formatOf), looks.look(shown), place),
    );
  const turn = () => {
    if (clock.monotonic() - sizedAt > sizePause) render();
  };
  const spinner = createTicker(clock, turn, spinnerPace);
  const { windowTitle: title, ...values } = repl.settings.values;
  const watch = watchWindow({ ...values, title, environment }, (sequences) =>
    region.writeAside(sequences),
  );
  const keys = createKeyInput(
    clock,
    (events) => {
      for (const event of events) {
        // Keys are for the open components first. Those that wait for an editor or a list are for the session.
        const isOpen = shown.typeAhead === undefined && !isComposing(shown);
        if (isOpen && ink.press(shown, looks.look(shown), event)) render();
        else session.update((now) => onKey(now, event));
      }
    },
    (reply) => {
      if (reply.type === 'focus') return watch.focus(reply.hasFocus);
      looks.onReply(reply.shade);
      return render();
    },
  );
  const resize = () => {
    sizedAt = clock.monotonic();
    region.resized();
    const size = { columns: stdout.columns(), rows: stdout.rows() };
    session.update((now) => step({ ...now, ...size }));
  };
  const rawMode = startRawMode(device, traits, {
    onInput: (bytes) => keys.feed(bytes),
    onResize: resize,
    onContinue() {
      watch.refresh();
      region.resume();
      region.redraw();
      resize();
    },
    onEnd: () => session.update(quit),
    finalOutput: () => region.abandon(),
  });
  rawMode.extend(watch.modes);
  const screen: Screen = {
    show(next) {
      watch.show(next);
      shown = next;
      // While natter is busy, the spinner turns.
      spinner.run((next.activity ?? next.aside) !== undefined && !next.hasQuit);
      render();
    },
    write(text) {
      region.commit(text);
      return region.slowness();
    },
    redraw: () => region.redraw(),
    scrollAway() {
      // The first line ends move the cursor to the last row; each further one scrolls a row of text away, and no empty row.
      region.suspend();
      void stdout.write('\r\n'.repeat(stdout.rows() - 1) + toTop);
      region.resume();
    },
    async lend(use) {
      region.suspend();
      rawMode.pause();
      // Ctrl+C belongs to the other program.
      const release = device.on('SIGINT', () => undefined);
      try {
        return await use();
      } finally {
        release();
        rawMode.resume();
        watch.refresh();
        region.resume();
      }
    },
    suspend() {
      region.suspend();
      rawMode.suspend();
    },
    async close() {
      await looks.settled();
      keys.stop();
      try {
        region.suspend();
        ink.close();
      } finally {
        rawMode.release();
      }
      await stdout.flush();
    },
  };
  const session = createSession({ repl, journal, state, screen, format: looks.formatOf });
  looks.ask();
  return session;
}
