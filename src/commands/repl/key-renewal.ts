import type { Run } from '../program/run.ts';
import type { ServicePort } from '../../repl/session/ports.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { openService, type Service, serviceKey } from '../service/service.ts';
import type { ChatOptions } from '../chat/chat-run.ts';

interface RenewalOptions extends Run<ChatOptions> {}

/**
 * As `keyRenewal` of a {@link ServicePort}.
 * @param replace gets the service with a different key; the old one is closed
 */
export function keyRenewal(
  { context, presentation, options }: RenewalOptions,
  settings: ResolvedSettings,
  service: Service,
  replace: (service: Service) => void,
): ReturnType<ServicePort['keyRenewal']> {
  const { apiKeyCommand } = settings;
  const isOwnService = !service.isSandbox && service.replayedFrom === undefined;
  if (apiKeyCommand === undefined || !isOwnService) return undefined;
  return async () => {
    const { forgetPrintedKey } = await import('../service/key-command.ts');
    const rejected = await serviceKey(context, settings);
    forgetPrintedKey(context, apiKeyCommand);
    if ((await serviceKey(context, settings)) === rejected) return false;
    const renewed = await openService(context, presentation, options, settings, service.source);
    replace(renewed);
    await service.close();
    return true;
  };
}
