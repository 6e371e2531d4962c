import { describeWidget, shellsUnderTest } from '../support/shell-widget.ts';

for (const shell of shellsUnderTest) describeWidget(shell);
