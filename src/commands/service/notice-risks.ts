import type { Notices } from '../../output/notices.ts';
import { describeUnsent, type ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';

/** Prints notices about unsent secrets and unverified certificates. */
export function noticeRisks(
  { environment }: Context,
  notices: Notices,
  settings: ResolvedSettings,
): void {
  for (const secret of settings.unsentSecrets) notices.notice(describeUnsent(secret));
  const unverified = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0';
  if (unverified && settings.values.baseUrl?.toLowerCase().startsWith('https:') === true) {
    notices.warning('TLS certificates are not verified: NODE_TLS_REJECT_UNAUTHORIZED is 0');
  }
}
