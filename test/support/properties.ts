import fc from 'fast-check';

// Every run uses the same cases, so that no test fails by chance; a different seed finds what these miss.
fc.configureGlobal({ seed: Number(process.env['NATTER_TEST_SEED'] ?? 1) });

/** Expects that a check passes for any values of these kinds. */
export function expectForAll<Values extends [unknown, ...unknown[]]>(
  ...kindsAndCheck: [
    ...{ [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
    (...values: Values) => void,
  ]
): void {
  fc.assert(fc.property<Values>(...kindsAndCheck));
}

export { fc };
