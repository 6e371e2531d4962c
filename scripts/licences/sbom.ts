import type { LicenseInfo } from 'rolldown-license-plugin';

type BundledPackage = Pick<LicenseInfo, 'name' | 'version'>;

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly properties?: readonly { readonly name: string }[];
}

/** The fields used here of the CycloneDX document of `npm sbom`. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const development = 'cdx:npm:package:development';

function shipped(component: Component): Component {
  const properties = (component.properties ?? []).filter(({ name }) => name !== development);
  return { ...component, scope: 'required', properties };
}

/**
 * The document reduced to the bundled packages. For npm they are development dependencies, because the bundle contains
 * them; here they are required.
 * @throws Error when a bundled package is not in the document
 */
export function bundledSbom(sbom: Sbom, packages: readonly BundledPackage[], name: string): Sbom {
  const components = packages.map((bundled) => {
    const found = sbom.components.find(
      (component) => component.name === bundled.name && component.version === bundled.version,
    );
    if (found === undefined)
      throw new Error(`npm sbom does not list ${bundled.name}@${bundled.version}`);
    return shipped(found);
  });
  const root = sbom.metadata.component;
  const refs = new Set(components.map((component) => component['bom-ref']));
  const inside = (ref: string) => refs.has(ref);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => inside(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(inside) }));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...root, name } },
    components,
    dependencies: [{ ref: root['bom-ref'], dependsOn: [...refs] }, ...dependencies],
  };
}
