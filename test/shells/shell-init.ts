import { installedShells } from '../support/installed-shells.ts';
import { describeWidget, shellsUnderTest } from '../support/shell-widget.ts';

const installed = installedShells(shellsUnderTest.map(({ name }) => name));
for (const shell of shellsUnderTest) {
  if (installed.includes(shell.name)) describeWidget(shell);
}
