import type { ChatOptions } from '../commands/chat/chat-run.ts';
import { describeSecrets, locateSecrets, openRedaction, planGuard } from '../input/secret-guard.ts';
import type { Run } from '../run.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import type { ReplService } from './service.ts';

/** Keeps secrets in files on this machine. With one redaction in a conversation, a secret keeps its placeholder. */
export function createReplGuard(run: Run<ChatOptions>, service: ReplService) {
  const { context, settings } = run;
  const { redact, restore, restoreText } = openRedaction(context);
  return {
    /** The files as they may be sent, or the problem that a person has yet to confirm. @throws Failure */
    inspect(
      files: readonly AttachedFile[],
      { isConfirmed, isRedacted }: { readonly isConfirmed: boolean; readonly isRedacted: boolean },
    ) {
      const { address, isSandbox, isReplay = false } = service.facts();
      const baseUrl = isSandbox || isReplay ? undefined : address;
      const values = { ...settings.values, baseUrl };
      const options = { ...run.options, sandbox: isSandbox };
      // The files go to the service in use, or to a fallback on a different machine.
      const plan = planGuard({ ...run, options, settings: { ...settings, values } });
      const mode = isRedacted ? 'redact' : (plan?.mode ?? 'off');
      if (mode === 'off' || (mode === 'ask' && isConfirmed) || files.length === 0) return { files };
      const located = files.flatMap((file) => locateSecrets(context, file));
      if (located.length === 0) return { files };
      if (mode === 'ask') {
        const { value: receiver = '' } = plan?.settings.profile ?? {};
        const isFallback = receiver !== settings.profile.value;
        const text = isFallback ? `; a fallback sends it to the profile ${receiver}` : '';
        return { files, problem: describeSecrets(located) + text };
      }
      return { files: files.map(({ name, content }) => ({ name, content: redact(content) })) };
    },
    restore,
    restoreText,
  };
}
