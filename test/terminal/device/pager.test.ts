import { expect, test } from 'vitest';
import { pagerCommand, pagerOf } from '../../../src/terminal/device/pager.ts';

test.each<[string, Record<string, string>, string | undefined, NodeJS.Platform?]>([
  ['less by default', {}, 'less'],
  ['PAGER', { PAGER: 'more' }, 'more'],
  ['NATTER_PAGER before PAGER', { NATTER_PAGER: 'less -R', PAGER: 'more' }, 'less -R'],
  ['none for an empty PAGER', { PAGER: '' }, undefined],
  ['none for cat', { PAGER: 'cat' }, undefined],
  ['none for an empty NATTER_PAGER', { NATTER_PAGER: ' ', PAGER: 'more' }, undefined],
  ['none on a dumb terminal', { PAGER: 'more', TERM: 'dumb' }, undefined],
  ['none by default on Windows', {}, undefined, 'win32'],
  ['PAGER on Windows', { PAGER: 'more' }, 'more', 'win32'],
])('the pager is %s', (_name, environment, expected, platform = 'linux') => {
  expect(pagerOf({ environment, platform })).toBe(expected);
});

test.each<[string, NodeJS.Platform, readonly string[]]>([
  ['less', 'linux', ['less']],
  ['less -R  +1', 'linux', ['less', '-R', '+1']],
  ['C:/tools/less.exe', 'win32', ['C:/tools/less.exe']],
  ['LESS=-R less', 'linux', ['/bin/sh', '-c', 'LESS=-R less']],
  ['"my pager" | tee "$HOME/log"', 'linux', ['/bin/sh', '-c', '"my pager" | tee "$HOME/log"']],
  ['more < con', 'win32', ['cmd.exe', '/d', '/s', '/c', '"more < con"']],
])('%j on %s runs %j', (pager, platform, expected) => {
  expect(pagerCommand(pager, platform)).toEqual(expected);
});
