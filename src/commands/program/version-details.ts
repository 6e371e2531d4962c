export interface Installation {
  readonly version: string;
  /** As `process.version`. */
  readonly node: string;
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  /** The package's own folder, links followed; of a single executable, the executable. */
  readonly folder: string;
  readonly isExecutable: boolean;
}

/** The first pattern that matches the folder decides how to update natter. */
const updateCommands: readonly (readonly [RegExp, string])[] = [
  [/\/_npx\//, 'npx natter@latest'],
  [/\/pnpm\/(?:.+\/)?node_modules\/natter$/i, 'pnpm add --global natter@latest'],
  [/\/\.bun\/install\/global\/node_modules\/natter$/, 'bun add --global natter@latest'],
  [/\/yarn\/(?:.+\/)?global\/node_modules\/natter$/i, 'yarn global add natter@latest'],
  [/\/(?:lib|npm|nodejs)\/node_modules\/natter$/i, 'npm install --global natter@latest'],
  [/\/node_modules\/natter$/, 'npm install natter@latest, in the project it belongs to'],
];

const updateCheckout = 'git pull && npm ci, in that folder';

const replaceExecutable = 'replace this file with a newer one';

export function updateCommand(folder: string): string {
  const path = folder.replaceAll('\\', '/');
  return updateCommands.find(([pattern]) => pattern.test(path))?.[1] ?? updateCheckout;
}

/** The output of `natter --version --verbose`. */
export function versionDetails(installation: Installation): string {
  const { version, node, platform, architecture, folder, isExecutable } = installation;
  const rows = [
    ['natter', version],
    ['node', node.replace(/^v/, '')],
    ['platform', `${platform} ${architecture}`],
    ['installed', folder],
    ['update', isExecutable ? replaceExecutable : updateCommand(folder)],
  ];
  return rows.map(([name = '', value]) => `${name.padEnd(9)}  ${value}\n`).join('');
}
