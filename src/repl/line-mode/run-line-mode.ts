import type { TerminalDevice } from '../../terminal/device/device.ts';
import { lineFormat } from '../text/line-format.ts';
import type { ReplOptions } from '../session/ports.ts';
import { createSession, type Session } from '../session/session.ts';
import type { TranscriptFormat } from '../session/transcript.ts';
import type { ReplState } from '../state/state.ts';
import { candidatesFor } from '../effects/run-effect.ts';
import { mentionAt } from '../reducer/picking.ts';
import { mentionsOfPaths } from '../picker/recognise-paths.ts';
import { completeLine } from './line-completion.ts';
import { completeMention } from './complete-mention.ts';
import type { TextBuffer } from '../editing/text-buffer.ts';
import { createLineInput, type LineInput } from './line-input.ts';
import { createLineScreen, expectsPrompt, type LineScreen } from './line-screen.ts';

/** Stops the input while another program uses the terminal. */
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

export interface LineModeOptions extends ReplOptions {
  /** Answers are written as their Markdown source. */
  readonly showsSource: boolean;
  /** Whether natter edits the lines. A dumb terminal, such as in Emacs, does so itself. */
  readonly editsLines: boolean;
}

/** On a terminal that edits the lines itself, the keys cannot be changed. */
const stateOf = ({ state, editsLines }: LineModeOptions): ReplState =>
  editsLines ? state : { ...state, keyMap: undefined };

type Width = () => number;

/** Columns of a row in the current settings. */
const widthIn = ({ stdout }: LineModeOptions, state: () => ReplState): Width => {
  return () => (state().settings.wrap === 'none' ? Number.POSITIVE_INFINITY : stdout.columns());
};

/** Answers as labelled text. The first answer loads the reader. */
function formatFor({ showsSource }: LineModeOptions, width: Width): TranscriptFormat {
  const format = lineFormat(width);
  if (showsSource) return format;
  return {
    ...format,
    async answerText(column) {
      const { createSpokenMarkdown } = await import('../../terminal/spoken/spoken-markdown.ts');
      return createSpokenMarkdown(width, column);
    },
  };
}

function suspendLines(
  device: TerminalDevice,
  input: LineInput | undefined,
  screen: LineScreen,
): void {
  input?.stop();
  device.suspend(() => {
    input?.start();
    screen.redraw();
  });
}

function isSecret({ dialog }: ReplState): boolean {
  return dialog?.type === 'entry' && dialog.isHidden;
}

/** What the editor of the line uses of the session. */
function editingOf(
  { ports, stdout }: LineModeOptions,
  session: Session,
  screen: LineScreen,
  format: TranscriptFormat,
) {
  const source = { ports, state: () => session.state() };
  return {
    clock: ports.clock,
    keyMap: session.state().keyMap,
    columns: () => stdout.columns(),
    history: () => session.state().history,
    isPrompt: () => expectsPrompt(session.state()),
    complete: (buffer: TextBuffer) => {
      const mention = mentionAt(buffer);
      return mention === undefined
        ? completeLine(buffer, (request) => candidatesFor(source, request))
        : completeMention(ports.files, buffer, mention);
    },
    write: (text: string) => void stdout.write(text),
    onDiscarded: () => screen.redraw(),
    say: (words: string) => screen.write(format.notice(words)),
    mentionsOf: (text: string) => mentionsOfPaths(ports.files, text),
  };
}

/** A session in plain labelled lines, for screen readers and dumb terminals. */
export function startLineMode(options: LineModeOptions): Session {
  const { stdout, ports, device } = options;
  const write = (text: string) => void stdout.write(text);
  const suspend = () => suspendLines(device, input, screen);
  const width = widthIn(options, () => session.state());
  const screen: LineScreen = createLineScreen({
    write,
    width,
    defer: (act) => void setImmediate(act),
    lend: lending(() => input),
    suspend,
    close: async () => input?.stop(),
    onAsked: (column) => isSecret(session.state()) || input?.showTyped(column),
    beforeOutput: () => input?.hideTyped(),
    isSearching: () => input?.isSearching() ?? false,
  });
  let input: LineInput | undefined;
  const show = (state: ReplState) => {
    screen.show(state);
    input?.adjust();
  };
  const format = formatFor(options, width);
  const shown = { screen: { ...screen, show }, format: () => format };
  const session: Session = createSession({ ...options, ...shown, state: stateOf(options) });
  const editing = { ...editingOf(options, session, screen, format), onSuspend: suspend };
  input = createLineInput({
    device,
    clock: ports.clock,
    dispatch: (action) => session.dispatch(action),
    isSecret: () => isSecret(session.state()),
    onEntered: () => screen.lineEntered(),
    endSecretLine: () => write('\n'),
    ...(options.editsLines && { editing }),
  });
  input.start();
  return session;
}
