import { expect, test } from 'vitest';
import { drawn } from '../../support/region.ts';

test('a row that gets shorter is erased before it is drawn, because tmux keeps the cells that EL 0 erases', async () => {
  const { screen, region, settle } = await drawn({ rows: ['filter: a long row', 'second'] });
  screen.output.length = 0;
  region.render(() => ({ rows: ['prompt', 'longer row'] }));
  await settle();
  const [update = ''] = screen.output;
  expect(update).toContain('\u001B[2K\u001B[?7lprompt\u001B[?7h');
  expect(update).toContain('\u001B[?7llonger row\u001B[?7h\u001B[K');
  expect(update.split('\u001B[2K')).toHaveLength(2);
  expect(update.split('\u001B[K')).toHaveLength(2);
  expect(await screen.screen()).toEqual(['prompt', 'longer row']);
});
