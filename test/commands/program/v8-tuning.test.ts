import { expect, test } from 'vitest';
import { tuneForMany } from '../../../src/commands/program/v8-tuning.ts';

/** The flags at the end of the work, and after it. */
async function flagsOf(version: string, pieces: number, isSpread = false) {
  const flags: string[] = [];
  const during: string[] = [];
  const setFlag = (flag: string) => void flags.push(flag);
  const work = async (add: () => void) => {
    for (let piece = 0; piece < pieces; piece += 1) add();
    during.push(...flags.splice(0));
  };
  await tuneForMany(work, { from: 3, isSpread, setFlag, version });
  return { during, after: flags };
}

const nameOf = (flag: string) => flag.replace(/^--(?:no-)?|=.*$/g, '');

test('tunes V8 from the third piece of work, and sets each flag back at the end', async () => {
  const { during, after } = await flagsOf('11.3.244.8-node.30', 5);
  expect(during.map(nameOf)).toEqual(['parallel-scavenge', 'interrupt-budget']);
  expect(after.map(nameOf)).toEqual(during.map(nameOf));
  expect(during.filter((flag) => after.includes(flag))).toEqual([]);
});

test('also limits inlining for work in many functions, and sets that back', async () => {
  const { during, after } = await flagsOf('11.3.244.8-node.30', 3, true);
  expect(during.map(nameOf)).toContain('max-inlined-bytecode-size-cumulative');
  expect(after.map(nameOf)).toEqual(during.map(nameOf));
  expect(during.filter((flag) => after.includes(flag))).toEqual([]);
});

test('leaves V8 as it is for less work', async () => {
  expect(await flagsOf('11.3.244.8-node.30', 2)).toEqual({ during: [], after: [] });
});

test('leaves a later V8 as it is', async () => {
  expect(await flagsOf('13.6.233.17-node.20', 3)).toEqual({ during: [], after: [] });
});

test('sets the flags back when the work fails', async () => {
  const flags: string[] = [];
  const failing = tuneForMany(
    async (add) => {
      add();
      throw new Error('broken');
    },
    { from: 1, setFlag: (flag) => void flags.push(flag), version: '11.3' },
  );
  await expect(failing).rejects.toThrow('broken');
  expect(flags.map(nameOf)).toEqual([
    'parallel-scavenge',
    'interrupt-budget',
    'parallel-scavenge',
    'interrupt-budget',
  ]);
});
