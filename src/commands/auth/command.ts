import { Command } from 'commander';
import { jsonOption } from '../../cli/options.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';

const load = () => import('./run.ts');

/** `natter auth`. No option takes a key, because other users could read it in the process list. */
export function buildAuth(): Command {
  const login = new Command('login')
    .summary('store the address and key of a service')
    .description(
      'Prompts for the address and key of a service, checks them and stores them. The key can also be piped in.',
    )
    .option('--no-check', 'store without checking');
  setAction(login, async () => (await load()).login);
  const status = new Command('status')
    .summary('show the service in use and the source of each setting')
    .option('--check', 'also list the models of the service, to check address and key')
    .addOption(jsonOption());
  setAction(status, async () => (await load()).showStatus);
  const logout = new Command('logout').summary('delete the stored key of the profile');
  setAction(logout, async () => (await load()).logout);
  setExamples(login, [
    'natter auth login',
    'natter auth login --base-url https://api.example.com < key.txt',
  ]);
  setExamples(status, [
    'natter auth status',
    'natter auth status --check',
    'natter auth status --profile work --json',
  ]);
  setExamples(logout, ['natter auth logout', 'natter auth logout --profile work']);
  const auth = new Command('auth')
    .summary('connect to a service: address and key')
    .addCommand(login)
    .addCommand(status)
    .addCommand(logout);
  return setExamples(auth, ['natter auth login', 'natter auth status']);
}
