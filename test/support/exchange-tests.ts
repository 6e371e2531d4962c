/** Tests of the client, which run over early connections too. */
export const clientTests = ['test/client/*.test.ts', 'test/servers/*.test.ts'] as const;

/**
 * Tests of requests and answers, which run over both transports: those of the client with its network, those of the
 * built program with `NATTER_TRANSPORT` (docs/decisions/0001-http-transport.md).
 */
export const exchangeTests = [
  ...clientTests,
  'test/recording/{recorder,replay}.test.ts',
  'test/acceptance/{keys-proxy,keys-wire,retry,streaming}.test.ts',
] as const;
