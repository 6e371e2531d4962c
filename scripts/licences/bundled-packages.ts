import { readFileSync } from 'node:fs';
import type { LicenseInfo } from 'rolldown-license-plugin';

/** The packages in the bundles of the last build, sorted by name. */
export function bundledPackages(): readonly LicenseInfo[] {
  const file = 'node_modules/.cache/natter-licences/packages.json';
  return JSON.parse(readFileSync(file, 'utf8')) as LicenseInfo[];
}

function section({ name, version, license, licenseText }: LicenseInfo): string {
  const lines = licenseText.trim().replaceAll('\r\n', '\n').split('\n');
  const block = lines.map((line) => `    ${line}`.trimEnd()).join('\n');
  return `## ${name} ${version}\n\n${license}\n\n${block}`;
}

/** `THIRD-PARTY-LICENSES.md`. */
export function licencesMarkdown(packages: readonly LicenseInfo[]): string {
  const introduction =
    "The packages in natter's bundle, each with its licence. `npm run licences` writes this file from the bundle.";
  return `# Third-party licences\n\n${introduction}\n\n${packages.map(section).join('\n\n')}\n`;
}

/** The fields used here of the CycloneDX document of `npm sbom`. */
interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly properties?: readonly { readonly name: string }[];
}

export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const development = 'cdx:npm:package:development';

/**
 * The document reduced to the bundled packages. For npm they are development dependencies, because the bundle contains
 * them; here they are required.
 * @throws Error when a bundled package is not in the document
 */
export function bundledSbom(
  sbom: Sbom,
  packages: readonly { readonly name: string; readonly version: string }[],
): Sbom {
  const components = packages.map(({ name, version }) => {
    const found = sbom.components.find((one) => one.name === name && one.version === version);
    if (found === undefined) throw new Error(`npm sbom does not list ${name}@${version}`);
    const properties = (found.properties ?? []).filter((property) => property.name !== development);
    return { ...found, scope: 'required', properties };
  });
  const refs = components.map((component) => component['bom-ref']);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.includes(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => refs.includes(one)),
    }));
  // npm names the document after the folder.
  const component = { ...sbom.metadata.component, name: 'natter' };
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component },
    components,
    dependencies: [{ ref: component['bom-ref'], dependsOn: refs }, ...dependencies],
  };
}
