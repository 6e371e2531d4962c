// `npm run --silent sbom > natter.cdx.json` prints the packages in the bundle, as CycloneDX.
import { execFileSync } from 'node:child_process';
import { bundledPackages } from '../bundle/licenses.js';

const development = 'cdx:npm:package:development';

/**
 * Reduces the document of `npm sbom` to the bundled packages. For npm they are development dependencies, because the
 * bundle contains them; here they are required. @throws Error when a bundled package is not in the document
 */
function bundledSbom(sbom, packages) {
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

const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const text = execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const document = bundledSbom(JSON.parse(text), bundledPackages());
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
