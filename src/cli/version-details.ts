/** The first pattern that matches the folder decides how to update natter. */
const updateCommands: readonly (readonly [RegExp, string])[] = [
  [/\/_npx\//, 'npx natter@latest'],
  [/\/pnpm\/(?:.+\/)?node_modules\/natter$/i, 'pnpm add --global natter@latest'],
  [/\/\.bun\/install\/global\/node_modules\/natter$/, 'bun add --global natter@latest'],
  [/\/yarn\/(?:.+\/)?global\/node_modules\/natter$/i, 'yarn global add natter@latest'],
  [/\/(?:lib|npm|nodejs)\/node_modules\/natter$/i, 'npm install --global natter@latest'],
  [/\/node_modules\/natter$/, 'npm install natter@latest, in the project it belongs to'],
];

export function updateCommand(folder: string, isFromRegistry: boolean): string {
  const path = folder.replaceAll('\\', '/');
  const command = updateCommands.find(([pattern]) => pattern.test(path))?.[1];
  if (command === undefined) return 'git pull && npm ci, in that folder';
  if (isFromRegistry) return command;
  // Anyone may publish a package under the name of one that is in no registry.
  const fromFile = command
    .replace(/^npx natter@latest/, 'npx --package FILE natter')
    .replace('natter@latest', 'FILE');
  return `${fromFile}; FILE is a newer tarball: git pull && npm ci && npm run --silent package, in a clone, prints its path`;
}

/** The output of `natter --version --verbose`. */
export function versionDetails(installation: {
  readonly version: string;
  /** The value of `process.version`. */
  readonly node: string;
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  /** The package's own folder, links followed; of a single executable, the executable. */
  readonly folder: string;
  readonly isExecutable: boolean;
  /** The package is in a registry. */
  readonly isPublished: boolean;
}): string {
  const { version, node, platform, architecture, folder } = installation;
  const update = installation.isExecutable
    ? 'replace this file with a newer one'
    : updateCommand(folder, installation.isPublished);
  const rows = [
    ['natter', version],
    ['node', node.replace(/^v/, '')],
    ['platform', `${platform} ${architecture}`],
    ['installed', folder],
    ['update', update],
  ];
  return rows.map(([name = '', value]) => `${name.padEnd(9)}  ${value}\n`).join('');
}
