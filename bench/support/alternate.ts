import type { Program, Run, Sample } from './measure.ts';

/** Runs the programs in turns, after one warm-up run of each; returns samples in the order of the programs. */
export async function alternate(
  run: Run,
  programs: readonly Program[],
  turns: number,
  measureMemory = false,
): Promise<readonly (readonly Sample[])[]> {
  const samples: Sample[][] = programs.map(() => []);
  for (let turn = -1; turn < turns; turn += 1) {
    // Every second turn is reversed, so that a program does not always follow the same one.
    const order = programs.map((_, index) =>
      turn % 2 === 0 ? index : programs.length - 1 - index,
    );
    for (const index of order) {
      const program = programs[index];
      if (program === undefined) continue;
      const sample = await run(program, { measureMemory });
      if (turn >= 0) samples[index]?.push(sample);
    }
  }
  return samples;
}
