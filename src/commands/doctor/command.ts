import { Command } from 'commander';
import type { Context, Action } from '../program/context.ts';
import { setExamples } from '../program/help-details.ts';
import type { DoctorOptions } from './run.ts';

export type RunDoctor = Action<DoctorOptions>;

const runDoctor: RunDoctor = async (context, options) => {
  const { examine } = await import('./run.ts');
  await examine(context, options);
};

export function buildDoctor(context: Context, run: RunDoctor = runDoctor): Command {
  const doctor = new Command('doctor')
    .description(
      'Checks settings, files, terminal, network and service, describes what the server supports, and prints what to do. It sends at most three prompts with answers of at most 16 tokens. The page contains no keys and no user names, so that it can be part of a bug report.',
    )
    .option('--offline', 'send nothing: skip network and service')
    .option('--json', 'print JSON');
  doctor.action(() => run(context, doctor.optsWithGlobals()));
  return setExamples(doctor, [
    'natter doctor',
    'natter doctor --offline',
    'natter doctor --profile work --json > doctor.json',
  ]);
}
