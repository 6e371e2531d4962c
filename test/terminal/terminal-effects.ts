import headless, { type Terminal } from '@xterm/headless';

/** Effects of a text on a terminal other than printing: replies, titles, clipboard writes, modes, erasures. */
export async function terminalEffects(text: string): Promise<string[]> {
  const terminal = new headless.Terminal({
    cols: 80,
    rows: 40,
    allowProposedApi: true,
    logLevel: 'off',
  });
  const effects: string[] = [];
  terminal.onData((data) => effects.push(`reply ${JSON.stringify(data)}`));
  terminal.onBinary((data) => effects.push(`reply ${JSON.stringify(data)}`));
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onBell(() => effects.push('bell'));
  for (const code of [4, 7, 8, 9, 10, 11, 50, 52, 133, 777, 1337]) {
    terminal.parser.registerOscHandler(code, () => {
      effects.push(`OSC ${code}`);
      return false;
    });
  }
  for (const final of ['q', 't', 'n', 'r', 'm', 'J', 'K', 'H', 'h', 'l', 'c']) {
    terminal.parser.registerCsiHandler({ final }, () => {
      effects.push(`CSI ${final}`);
      return false;
    });
  }
  const modes = JSON.stringify(terminal.modes);
  await written(terminal, 'first line\r\n');
  await written(terminal, text.replaceAll('\n', '\r\n'));
  if (JSON.stringify(terminal.modes) !== modes) effects.push('modes');
  if (terminal.buffer.active.type !== 'normal') effects.push('alternate screen');
  const first = terminal.buffer.normal.getLine(0)?.translateToString(true);
  if (first !== 'first line') effects.push(`earlier line is now ${first}`);
  terminal.dispose();
  return effects;
}

function written(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => {
    terminal.write(text, resolve);
  });
}
