import type { GuardPort } from '../../repl/session/ports.ts';
import type { ServiceFacts } from '../../repl/state/state.ts';
import type { SecretGuardMode } from '../../settings/setting-values.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import type { Context } from '../program/context.ts';
import type { Redaction } from '../prompt/guard/inspect-texts.ts';
import { guardMode } from '../prompt/guard/secret-guard.ts';

export interface ReplGuardOptions {
  readonly context: Context;
  readonly options: ChatOptions;
  readonly settings: ResolvedSettings;
  readonly service: { facts(): ServiceFacts };
}

/** The guard of a conversation: one redaction, so that a secret keeps its placeholder. */
export function createReplGuard(guarded: ReplGuardOptions): GuardPort {
  const { context, options, settings, service } = guarded;
  let redaction: Redaction | undefined;
  const modeNow = (): SecretGuardMode => {
    const { address, isSandbox, isReplay = false } = service.facts();
    const baseUrl = isSandbox || isReplay ? undefined : address;
    return guardMode(context, options, { ...settings.values, baseUrl });
  };
  return {
    async inspect(files, { isConfirmed, isRedacted }) {
      const mode = isRedacted ? 'redact' : modeNow();
      if (mode === 'off' || (mode === 'ask' && isConfirmed) || files.length === 0) return { files };
      const { describeSecrets, locateSecrets, redactTexts } =
        await import('../prompt/guard/inspect-texts.ts');
      const located = files.flatMap((file) => locateSecrets(context, file));
      if (located.length === 0) return { files };
      if (mode === 'ask') return { files, problem: describeSecrets(located) };
      const redacted = redactTexts(context, files, redaction);
      ({ redaction } = redacted);
      return { files: redacted.texts };
    },
    restore: (events) => redaction?.restore(events) ?? events,
    restoreText: (text) => redaction?.redactions.restore(text) ?? text,
  };
}
