import { expect, test } from 'vitest';
import { commandHints } from '../../src/cli/report.ts';
import { replHints } from '../../src/repl/session.ts';
import { hintOf } from '../../src/output/ending-failure.ts';
import { Failure } from '../../src/failure.ts';

const hintFor = (baseUrl: string) => {
  const remedy = { code: 'set-base-url', baseUrl } as const;
  const failure = new Failure('configuration', 'redirected', { remedy });
  const [command, repl] = [commandHints, replHints].map((words) => hintOf(failure, words));
  expect(repl).toBe(command);
  return command;
};

test.each(['https://api.example.com', 'http://[::1]:8080/a_b/~c-d%20e'])(
  'offers a command to set the base URL to %s',
  (url) => {
    expect(hintFor(url)).toContain(`natter config set base-url ${url}`);
  },
);

test.each([
  'https://a.test/$(id)',
  'https://a.test/;id',
  'https://a.test/&id',
  "https://a.test/'",
  'https://a.test/`id`',
  'https://a.test/a b',
  'https://a.test/\nid',
  'https://a.test/…',
])('offers no command with %j, which a shell could interpret', (url) => {
  expect(hintFor(url)).toBe('if that address is right, set it as the base URL');
});
