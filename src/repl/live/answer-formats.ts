import type { OutputStream } from '../../terminal/device/streams.ts';
import { type OwnPaints, type Style, weightStyle } from '../../terminal/style.ts';
import { themedStyle } from '../../terminal/themes.ts';
import type { TranscriptFormat } from '../session/transcript.ts';
import type { ReplState } from '../state/state.ts';
import { createMarkdownLoader, richFormat } from '../text/transcript-formats.ts';
import type { Background } from './background.ts';

interface FormatOptions {
  readonly style: Style;
  readonly stdout: OutputStream;
  readonly unicode: boolean;
  readonly opensLinks: boolean;
  /** Of answers. */
  readonly ownPaints?: OwnPaints | undefined;
}

/** The style of the live region, and the format of the transcript, in the current theme. */
export function createFormats(options: FormatOptions, background: Background) {
  const { style: own, stdout, unicode, opensLinks: hidesAddresses, ownPaints } = options;
  const markdown = createMarkdownLoader();
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
      return richFormat({ ...shown, ...state.settings, hidesAddresses, markdown, width, unicode });
    },
  };
}
