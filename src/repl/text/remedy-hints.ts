import { setBaseUrlHint, timeoutOptions, type FrontEndHints } from '../../output/ending-failure.ts';

/** Slash commands, and options only for the next start of natter. */
export const replHints: FrontEndHints = {
  'raise-timeout': ({ limit }) =>
    `try again, or restart natter with a longer ${timeoutOptions[limit]}`,
  'wait-until': ({ time, seconds }) =>
    `try again after ${time}, or restart natter with --retry-max-wait ${seconds}s`,
  'slow-down': () => 'wait a moment and try again, or restart natter with more --retries',
  'check-base-url': () => 'check the base URL',
  'check-host': () => 'check the host of the base URL',
  'check-connection': () => 'check the base URL and the network',
  'start-server': ({ port }) => `is the server on port ${port} running? start it, and try again`,
  'set-base-url': setBaseUrlHint,
  'remove-user-info': () => 'remove them from the URL',
  'use-https': () => 'use an https base URL, or restart natter with --allow-insecure',
  'sign-in': () => 'enter a valid key',
  'enter-key-again': () => 'enter the key again',
  'check-permissions': () => 'ask the issuer of the key for more permissions',
  'raise-max-tokens': () => '/max-tokens raises the limit',
  'remove-parameter': () => '/param NAME off removes one; /param lists them',
  'check-request': () => '/model, /system and /max-tokens change what is sent',
  'check-model': () => '/models lists the available models; also check the base URL',
  'choose-model': () => '/models lists the available models, /model chooses one',
  'list-models': () => '/models lists the available models',
  'list-conversations': () => '/conversations shows their ids and titles',
  'record-request': ({ file }) =>
    `repeat the request exactly as recorded, or restart natter with --record ${file}`,
};
