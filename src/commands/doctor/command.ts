import { Command } from 'commander';
import { setAction, setExamples } from '../../cli/help-details.ts';
import { settingOption, jsonOption } from '../../cli/options.ts';

export function buildDoctor(): Command {
  const doctor = new Command('doctor')
    .summary('check settings, network and service, and advise')
    .description(
      'Checks settings, files, connection, key, models and one answer, and prints what to do. It sends one prompt for an answer of at most 16 tokens, and asks again without streaming or without that limit if the service refuses the first. The page contains no keys and no user names, so that it can be part of a bug report.',
    )
    .addOption(settingOption('model', '-m'))
    .option('--offline', 'send nothing: skip connection and service')
    .addOption(jsonOption());
  setAction(doctor, async () => (await import('./run.ts')).examine);
  return setExamples(doctor, [
    'natter doctor',
    'natter doctor -m nextgen',
    'natter doctor --offline',
    'natter doctor --profile work --json > doctor.json',
  ]);
}
