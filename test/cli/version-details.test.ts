import { describe, expect, test } from 'vitest';
import { updateCommand } from '../../src/cli/version-details.ts';

test.each([
  ['/usr/local/lib/node_modules/natter', 'npm install --global natter@latest'],
  [String.raw`C:\Users\A B\Roaming\npm\node_modules\natter`, 'npm install --global natter@latest'],
  ['/home/a/.npm/_npx/0f9c/node_modules/natter', 'npx natter@latest'],
  [
    '/home/a/.local/share/pnpm/global/5/.pnpm/natter@1.2.3/node_modules/natter',
    'pnpm add --global natter@latest',
  ],
  ['/home/a/.bun/install/global/node_modules/natter', 'bun add --global natter@latest'],
  ['/home/a/.config/yarn/global/node_modules/natter', 'yarn global add natter@latest'],
  ['/home/a/app/node_modules/natter', 'npm install natter@latest, in the project it belongs to'],
  ['/home/a/natter', 'git pull && npm ci, in that folder'],
])('the update command of %s is: %s', (folder, command) => {
  expect(updateCommand(folder, true)).toBe(command);
});

describe('of a package that is in no registry', () => {
  const source =
    'FILE is a newer tarball: git pull && npm ci && npm run --silent package, in a clone, prints its path';

  test.each([
    ['/usr/local/lib/node_modules/natter', `npm install --global FILE; ${source}`],
    ['/home/a/.npm/_npx/0f9c/node_modules/natter', `npx --package FILE natter; ${source}`],
    ['/home/a/.config/yarn/global/node_modules/natter', `yarn global add FILE; ${source}`],
    ['/home/a/natter', 'git pull && npm ci, in that folder'],
  ])('the update command of %s names no registry: %s', (folder, command) => {
    expect(updateCommand(folder, false)).toBe(command);
  });
});
