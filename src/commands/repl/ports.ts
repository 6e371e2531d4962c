import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { copyText } from '../../repl/system/clipboard.ts';
import { editText } from '../../repl/system/external-editor.ts';
import {
  expandHome,
  folderCandidates,
  kindOf,
  writeNewFile,
} from '../../repl/system/user-files.ts';
import type { FilesPort, LibraryPort, SessionPorts } from '../../repl/session/ports.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';
import { createReplGuard, type ReplGuardOptions } from './guard.ts';
import type { ReplMemory } from './memory.ts';
import type { ReplService } from './service.ts';
import type { SessionNotices } from './session-notices.ts';

export interface ReplPortsOptions extends Pick<ReplGuardOptions, 'options' | 'settings'> {
  readonly context: Context;
  readonly isLineMode: boolean;
  readonly service: ReplService;
  readonly library: LibraryPort;
  readonly memory: ReplMemory;
  readonly sessionNotices: Pick<SessionNotices, 'presentation'>;
}

function filesPort(context: Context, notices: Notices): FilesPort {
  const { homeDirectory, platform } = context;
  const resolve = (typed: string) => expandHome(typed, homeDirectory);
  return {
    async attach(typed, signal) {
      const [file] = await attachFiles([resolve(typed)], { signal, context, notices });
      if (file === undefined) throw new Failure('unexpected', `${typed} was not read`);
      return { ...file, name: typed };
    },
    kindOf: (typed) => kindOf(resolve(typed)),
    candidates: (folder) => folderCandidates(resolve(folder)),
    write: (typed, text) => writeNewFile(resolve(typed), text, platform),
  };
}

export function replPorts(options: ReplPortsOptions): SessionPorts {
  const { context, isLineMode, service, library, memory } = options;
  const { clock, environment, platform, device } = context;
  const control = isLineMode ? undefined : (sequence: string) => device.writeNow(sequence);
  const files = filesPort(context, options.sessionNotices.presentation.notices);
  const guard = createReplGuard(options);
  return {
    clock,
    clean: (text) => cleanLine(context, text),
    service,
    library,
    files: { ...files, write: (path, text) => files.write(path, guard.restoreText(text)) },
    guard,
    copy: (text, signal) =>
      copyText(guard.restoreText(text), { environment, platform, clock, control }, signal),
    edit: (text) => editText(text, { environment, platform }),
    remember: (text) => memory.remember(text),
    // In line mode the terminal edits the text, and natter does not know it.
    keepDraft: (text) => (isLineMode ? undefined : memory.keepDraft(text)),
  };
}
