import type {
  LibraryPort,
  PromptsPort,
  SessionPorts,
  ShellPort,
} from '../../repl/session/ports.ts';
import { cleanLine, maskText } from '../program/mask-secrets.ts';
import { readRole, roleNames } from '../service/role.ts';
import type { Context } from '../program/context.ts';
import { createFilesPort } from './files-port.ts';
import { createReplGuard, type ReplGuardOptions } from './guard.ts';
import type { ReplMemory } from './memory.ts';
import { parseSessionParameter } from './session-parameter.ts';
import type { ReplService } from './service.ts';
import type { SessionNotices } from './session-notices.ts';

export interface ReplPortsOptions extends ReplGuardOptions {
  readonly context: Context;
  readonly isLineMode: boolean;
  readonly service: ReplService;
  readonly library: LibraryPort;
  readonly memory: ReplMemory;
  readonly sessionNotices: SessionNotices;
}

function shellPort({ environment, platform, clock, secrets }: Context): ShellPort {
  return {
    async run(command, options) {
      const { runInShell } = await import('../../repl/system/shell-command.ts');
      return runInShell(command, options, { environment, platform, clock });
    },
    mask: (text) => maskText(secrets, text),
  };
}

/** Prompt files are read by modules that few conversations need. */
function lazyPrompts(load: () => Promise<PromptsPort>): PromptsPort {
  return {
    list: async () => (await load()).list(),
    open: async (...words) => (await load()).open(...words),
    fill: async (...words) => (await load()).fill(...words),
  };
}

export function replPorts(options: ReplPortsOptions): SessionPorts {
  const { context, isLineMode, service, library, memory } = options;
  const { clock, environment, platform, device } = context;
  const control = isLineMode ? undefined : (sequence: string) => device.writeNow(sequence);
  const files = createFilesPort(context);
  const guard = createReplGuard(options);
  const { notices } = options.sessionNotices.presentation;
  const prompts = lazyPrompts(() =>
    import('./prompts-port.ts').then((loaded) =>
      loaded.createReplPrompts({ context, notices, settings: options.settings }),
    ),
  );
  return {
    clock,
    clean: (text) => cleanLine(context, text),
    service,
    library,
    files: { ...files, write: (path, text) => files.write(path, guard.restoreText(text)) },
    prompts,
    parseParameter: parseSessionParameter,
    roles: {
      names: () => roleNames(context),
      read: (name) => readRole(context, name),
    },
    guard,
    async copy(text, signal) {
      const { copyText } = await import('../../repl/system/clipboard.ts');
      const system = { environment, platform, clock, control };
      return copyText(guard.restoreText(text), system, signal);
    },
    async edit(text) {
      const { editText } = await import('../../repl/system/external-editor.ts');
      return editText(text, { environment, platform });
    },
    shell: shellPort(context),
    remember: (text) => memory.remember(text),
    // In line mode the terminal edits the text, and natter does not know it.
    keepDraft: (text) => (isLineMode ? undefined : memory.keepDraft(text)),
  };
}
