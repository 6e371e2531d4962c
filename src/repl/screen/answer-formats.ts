import type { Presentation } from '../../run.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import { type OwnPaints, type Style, weightStyle } from '../../terminal/style.ts';
import { themedStyle } from '../../terminal/themes.ts';
import type { ReplState } from '../state.ts';
import { richFormat } from '../text/transcript-formats.ts';
import type { TranscriptFormat } from '../transcript.ts';
import type { Background } from './background.ts';

/** The style of the live region, and the format of the transcript, in the current theme. */
export function createFormats(
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
