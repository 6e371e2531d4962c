import type { Program, Run, Sample } from './measure.ts';

/** Runs the programs in turns, after one run of each that does not count; samples in the order of the programs. */
export async function alternate(
  run: Run,
  programs: readonly Program[],
  turns: number,
  measureMemory = false,
): Promise<readonly (readonly Sample[])[]> {
  const samples: Sample[][] = programs.map(() => []);
  for (let turn = -1; turn < turns; turn += 1) {
    // Each second turn goes backwards, so that none always follows the same other.
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
