import { runTask, type SessionCore } from '../session/session-core.ts';
import { notice } from '../state/entry.ts';

function listText(core: SessionCore): string {
  const { role } = core.state().settings;
  const names = core.ports.roles.names();
  const current = role === undefined ? 'no role is set' : `the role is ${role}`;
  const others = names.length === 0 ? 'there are no roles yet' : `roles: ${names.join(', ')}`;
  return `${current}; ${others}`;
}

/** Sets the system prompt of the next prompts to the text of a role. */
export function runChooseRole(core: SessionCore, name: string): Promise<void> {
  return runTask(core, async () => {
    const { clean, roles } = core.ports;
    if (name === '') return [notice(clean(listText(core)))];
    core.dispatch({ type: 'role-chosen', role: name, system: roles.read(name) });
    return [notice(clean(`the role is now ${name}; /system shows its text`))];
  });
}
