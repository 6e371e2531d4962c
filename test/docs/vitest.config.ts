import { defineConfig } from 'vitest/config';
import suite from '../../vitest.config.ts';

const { projects: _projects, ...settings } = suite.test ?? {};

// Not part of the suite: the documents, the package and the bundle change rarely, and running all examples takes minutes.
export default defineConfig({
  test: { ...settings, include: ['test/{docs,package}/*.test.ts'] },
});
