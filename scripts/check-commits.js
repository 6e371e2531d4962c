// Checks the titles of the commits since the rule was made: `npm run commits:check`. A history that does not reach back
// that far (a shallow clone, an unpacked archive) is reported as not checked, and is not a failure.
// `npm run commits:check -- origin/main` checks the commits after a different one.
import { spawnSync } from 'node:child_process';

/** The last commit before the rule. */
const ruleBegins = 'a6920ac9f46012d1cb0a6f727d637d11b93cb127';
const longestTitle = 72;

const print = (text) => void process.stdout.write(`${text}\n`);

/** The output of git; undefined if it fails or is not installed. */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

function faultOf(title) {
  const { length } = [...title];
  if (length > longestTitle) return `${length} characters, at most ${longestTitle} are allowed`;
  return /^[\w./-]+(?:, [\w./-]+)*: \S/.test(title)
    ? undefined
    : 'must have the form "area: verb object"';
}

const [since = ruleBegins] = process.argv.slice(2);
if (git('merge-base', '--is-ancestor', since, 'HEAD') === undefined) {
  print(`commits not checked: the history does not reach back to ${since.slice(0, 7)}`);
} else {
  const list = git('log', '--no-merges', '--format=%h%x09%s', `${since}..HEAD`) ?? '';
  const commits = list.split('\n').filter((line) => line !== '');
  const faults = commits.flatMap((line) => {
    const [id, title] = line.split(/\t(.*)/s);
    const fault = faultOf(title);
    return fault === undefined ? [] : [`${id} ${title}\n  ${fault}`];
  });
  for (const fault of faults) print(fault);
  print(`${commits.length} commits checked, ${faults.length} to reword`);
  if (faults.length > 0) process.exitCode = 1;
}
