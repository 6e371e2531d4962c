/** The first pattern that matches the folder decides how to update natter. */
const updateCommands: readonly (readonly [RegExp, string])[] = [
  [/\/_npx\//, 'npx natter@latest'],
  [/\/pnpm\/(?:.+\/)?node_modules\/natter$/i, 'pnpm add --global natter@latest'],
  [/\/\.bun\/install\/global\/node_modules\/natter$/, 'bun add --global natter@latest'],
  [/\/yarn\/(?:.+\/)?global\/node_modules\/natter$/i, 'yarn global add natter@latest'],
  [/\/(?:lib|npm|nodejs)\/node_modules\/natter$/i, 'npm install --global natter@latest'],
  [/\/node_modules\/natter$/, 'npm install natter@latest, in the project it belongs to'],
];

/**
 * How to update a natter in this folder, for `natter --version --verbose`.
 * @param folder of the package, links followed
 */
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
