import { expect, test } from 'vitest';
import { bundledSbom, type Sbom } from '../../scripts/licences/bundled-packages.ts';

const component = (name: string, version = '1.0.0') => ({
  'bom-ref': `${name}@${version}`,
  name,
  version,
  scope: 'optional',
  properties: [{ name: 'cdx:npm:package:development' }, { name: 'other' }],
});

const sbom: Sbom = {
  metadata: { component: { ...component('checkout', '0.1.0'), 'bom-ref': 'natter@0.1.0' } },
  components: [component('marked'), component('ink'), component('react'), component('vitest')],
  dependencies: [
    { ref: 'natter@0.1.0', dependsOn: ['vitest@1.0.0'] },
    { ref: 'ink@1.0.0', dependsOn: ['react@1.0.0', 'vitest@1.0.0'] },
    { ref: 'vitest@1.0.0', dependsOn: [] },
  ],
};
const bundled = (name: string) => ({ name, version: '1.0.0' });

test('lists the bundled packages as required, and no other packages', () => {
  const { metadata, components, dependencies } = bundledSbom(sbom, ['ink', 'react'].map(bundled));
  expect(metadata.component.name).toBe('natter');
  expect(components.map(({ name, scope }) => [name, scope])).toEqual([
    ['ink', 'required'],
    ['react', 'required'],
  ]);
  expect(components[0]?.properties).toEqual([{ name: 'other' }]);
  expect(dependencies).toEqual([
    { ref: 'natter@0.1.0', dependsOn: ['ink@1.0.0', 'react@1.0.0'] },
    { ref: 'ink@1.0.0', dependsOn: ['react@1.0.0'] },
  ]);
});

test('fails for a bundled package that npm sbom does not list', () => {
  expect(() => bundledSbom(sbom, [bundled('yoga')])).toThrow('yoga@1.0.0');
});
