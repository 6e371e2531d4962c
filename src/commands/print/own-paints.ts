import { ownColors } from '../../settings/own-colors.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { createOwnPaints } from '../../terminal/own-paints.ts';
import type { OwnPaints } from '../../terminal/style.ts';
import type { TerminalColors } from '../../terminal/themes.ts';

/** The looks of the settings `colors.<part>`. @throws Failure `configuration` for a bad one */
export function ownPaints(colors: ResolvedSettings['colors'], terminal: TerminalColors): OwnPaints {
  return createOwnPaints(ownColors(colors), terminal);
}
