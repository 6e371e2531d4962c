import { Command, Option } from 'commander';
import { faultOptions } from '../../sandbox/faults/parse-fault.ts';
import { setAction, helpOf, setExamples } from '../../cli/help-details.ts';
import { collect } from '../../cli/options.ts';

export function buildSandbox(): Command {
  const command = new Command('sandbox')
    .summary('run a local mock of the service, with faults on request')
    .description(
      'Runs a local mock of the Chat Completion Service, or a gateway in front of an upstream server, and prints its base URL. Fault options make it misbehave.',
    )
    .option('--host <address>', 'loopback address to listen on, default 127.0.0.1', '127.0.0.1')
    .option('--port <number>', 'port to listen on, default 0 (any free port)', '0')
    .option('--log', 'print each request as a JSON line on standard output, keys masked')
    .option('--lenient', 'ignore parameters that the contract does not have, such as temperature')
    .option('--rate-limit <n/time>', 'rate limit for every key, such as 3/10s')
    .option('--scenario <file>', 'JSON file of fault rules')
    .option('--upstream <url>', 'upstream server that answers prompts [NATTER_UPSTREAM_API_KEY]')
    .option('--upstream-profile <name>', 'upstream server of this profile')
    .option(
      '--map <id=model>',
      "upstream's model for origin or nextgen (default: same name, or its first); repeatable",
      collect,
    );
  for (const { flags, summary, repeatable } of faultOptions) {
    const option = new Option(flags, summary).helpGroup('Fault options:');
    command.addOption(repeatable ? option.argParser(collect) : option);
  }
  helpOf(command).hidesServiceOptions = true;
  // The placeholders of options whose syntax is not obvious.
  const rows = [
    { term: '<n>', description: 'a whole number; k and m mean thousands and millions' },
    { term: '<time>', description: '250ms, 2s, 1min or forever; a plain number is milliseconds' },
  ];
  helpOf(command).list = { heading: 'Values:', rows };
  setExamples(command, [
    'natter sandbox --port 8080',
    'natter sandbox --status 429 --retry-after 1 --times 2 --log',
    'natter sandbox --lenient --port 8080',
    'natter sandbox --scenario faults.json',
    'natter sandbox --upstream http://localhost --map origin=a --map nextgen=b',
  ]);
  return setAction(command, async () => (await import('./run.ts')).serveSandbox);
}
