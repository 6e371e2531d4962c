import type { Environment } from '../../environment.ts';

const programsWithLinks = 'iTerm.app WezTerm vscode ghostty rio mintty Tabby contour'.split(' ');
const namesWithLinks = 'xterm-kitty xterm-ghostty alacritty foot wezterm contour rio'.split(' ');
const multiplexers = ['tmux', 'screen'];
/** The first versions with links: VTE (GNOME Terminal and others), and Konsole. */
const firstVersions = { vte: 5000, konsole: 201_200 } as const;

const startsWithAny = (name: string, starts: readonly string[]) =>
  starts.some((start) => name.startsWith(start));

/**
 * Whether the terminal is known to open links (OSC 8). Others ignore them, and would show their text alone.
 * `FORCE_HYPERLINK`, as in other programs, is `0` for no and anything else for yes.
 */
export function opensLinks(environment: Environment): boolean {
  const { FORCE_HYPERLINK: forced, TERM: name = '', TERM_PROGRAM: program = '' } = environment;
  if (forced !== undefined && forced !== '') return forced !== '0';
  // Whether a multiplexer passes links on depends on its version and on the terminal around it.
  const { TMUX: tmux, STY: screen, WT_SESSION: windowsTerminal } = environment;
  if (tmux !== undefined || screen !== undefined || startsWithAny(name, multiplexers)) return false;
  const { VTE_VERSION: vte, KONSOLE_VERSION: konsole } = environment;
  return (
    programsWithLinks.includes(program) ||
    startsWithAny(name, namesWithLinks) ||
    windowsTerminal !== undefined ||
    Number(vte) >= firstVersions.vte ||
    Number(konsole) >= firstVersions.konsole
  );
}
