import { Command } from 'commander';
import type { Action, Context, JsonOptions } from '../../run.ts';
import { settingOption } from '../program/global-options.ts';
import { setExamples } from '../program/help-details.ts';

export interface DoctorOptions extends JsonOptions {
  readonly model?: string;
  readonly offline?: boolean;
}

export type RunDoctor = Action<DoctorOptions>;

const runDoctor: RunDoctor = async (context, options) => {
  const { examine } = await import('./run.ts');
  await examine(context, options);
};

export function buildDoctor(context: Context, run: RunDoctor = runDoctor): Command {
  const doctor = new Command('doctor')
    .description(
      'Checks settings, files, connection, key, models and one answer, and prints what to do. It sends one prompt for an answer of at most 16 tokens, and asks again without streaming or without that limit if the service refuses the first. The page contains no keys and no user names, so that it can be part of a bug report.',
    )
    .addOption(settingOption('model', '-m'))
    .option('--offline', 'send nothing: skip connection and service')
    .option('--json', 'print JSON');
  doctor.action(() => run(context, doctor.optsWithGlobals()));
  return setExamples(doctor, [
    'natter doctor',
    'natter doctor -m nextgen',
    'natter doctor --offline',
    'natter doctor --profile work --json > doctor.json',
  ]);
}
