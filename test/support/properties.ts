import fc from 'fast-check';

// Every run draws the same cases, so that no test fails by chance; another seed draws others, to find what these miss.
fc.configureGlobal({ seed: Number(process.env['NATTER_TEST_SEED'] ?? 1) });

export { fc };
