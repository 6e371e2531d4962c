// `npm run pictures` draws the README's animated pictures from a session of natter in a pseudo-terminal.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { captureSession } from './capture.ts';
import { startScriptedService } from './scripted-service.ts';
import { drawSvg, type Theme } from './svg.ts';

const columns = 80;
const rows = 19;
const pause = 1600;
const label =
  'natter in a terminal: an answer streams, git diff is reviewed in a pipe after a retry, and two models are compared';

const commands = [
  'natter "undo the last commit, keep the changes"',
  'git diff | natter "review this"',
  'natter compare "when do I rebase, and when do I merge?"',
];

const themes: Readonly<Record<string, Theme>> = {
  dark: {
    background: '#14161b',
    foreground: '#d7dae0',
    palette: [
      '#14161b',
      '#e06c75',
      '#98c379',
      '#e5c07b',
      '#61afef',
      '#c678dd',
      '#56b6c2',
      '#d7dae0',
    ],
  },
  light: {
    background: '#f6f8fa',
    foreground: '#24292f',
    palette: [
      '#24292f',
      '#b3261e',
      '#1a7f37',
      '#8a5a00',
      '#0550ae',
      '#8250df',
      '#0f6b7a',
      '#57606a',
    ],
  },
};

/** A home with natter on the path, and a project with the change of `change.diff`. */
function prepareFolders() {
  const home = mkdtempSync(join(tmpdir(), 'natter-picture-'));
  const [programs, project] = [join(home, 'bin'), join(home, 'project')];
  mkdirSync(programs);
  mkdirSync(project);
  const program = join(programs, 'natter');
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/natter.cjs')}" "$@"\n`,
  );
  chmodSync(program, 0o755);
  const diff = resolve('docs/pictures/change.diff');
  const before = readFileSync(diff, 'utf8').split('\n').slice(5);
  const lines = before.flatMap((line) => (/^[ -]/.test(line) ? [line.slice(1)] : []));
  writeFileSync(join(project, 'retry.js'), `${lines.join('\n')}\n`);
  const environment = {
    PATH: [programs, process.env['PATH']].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: project, env: environment });
  git('init', '--quiet');
  git('add', '.');
  git('apply', diff);
  return { project, environment };
}

const { project, environment } = prepareFolders();
const service = await startScriptedService();
const serviceEnvironment = { NATTER_BASE_URL: service.url, NATTER_API_KEY: 'scripted-key' };
const frames = await captureSession({
  columns,
  rows,
  commands,
  pause,
  folder: project,
  environment: { ...environment, ...serviceEnvironment },
});
await service.close();
for (const [name, theme] of Object.entries(themes)) {
  writeFileSync(`docs/pictures/${name}.svg`, drawSvg({ frames, columns, rows, label }, theme));
}
