import { Command } from 'commander';
import type { Context, Action, GlobalOptions } from '../../run.ts';
import { setExamples } from '../program/help-details.ts';
import type { LoginOptions } from './login-run.ts';
import type { StatusOptions } from './run.ts';

export interface RunAuth {
  readonly login: Action<LoginOptions>;
  readonly status: Action<StatusOptions>;
  readonly logout: Action<GlobalOptions>;
}

const runAuth: RunAuth = {
  login: async (context, options) => (await import('./login-run.ts')).login(context, options),
  status: async (context, options) => (await import('./run.ts')).showStatus(context, options),
  logout: async (context, options) => (await import('./run.ts')).logout(context, options),
};

/** `natter auth`. No option takes a key, because other users could read it in the process list. */
export function buildAuth(context: Context, run: RunAuth = runAuth): Command {
  const login = new Command('login')
    .summary('store the address and key of a service')
    .description(
      'Prompts for the address and key of a service, checks them and stores them. The key can also be piped in.',
    )
    .option('--no-check', 'store without checking');
  login.action(() => run.login(context, login.optsWithGlobals()));
  const status = new Command('status')
    .summary('show the service in use and the source of each setting')
    .description('Shows the service in use and the source of each setting.')
    .option('--check', 'also list the models of the service, to check address and key')
    .option('--json', 'print JSON');
  status.action(() => run.status(context, status.optsWithGlobals()));
  const logout = new Command('logout')
    .summary('delete the stored key')
    .description('Deletes the stored key of the profile.');
  logout.action(() => run.logout(context, logout.optsWithGlobals()));
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
    .description('Connects natter to a service: address and key.')
    .addCommand(login)
    .addCommand(status)
    .addCommand(logout);
  return setExamples(auth, ['natter auth login', 'natter auth status']);
}
