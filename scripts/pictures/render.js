// Renders moments of the README's pictures as PNG files, to look at: `npm run pictures:render [-- <folder>]`. It needs
// Chromium; without it, it prints what is missing and exits with 1.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const moments = 12;
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

function findBrowser() {
  const given = process.env.CHROME_PATH;
  const names = given === undefined ? browsers : [given];
  return names.find((name) => spawnSync(name, ['--version']).status === 0);
}

function attributeOf(svg, name) {
  return Number(new RegExp(`<svg[^>]* ${name}="(\\d+)"`).exec(svg)?.[1]);
}

/** The picture as it is `seconds` after its start, without movement. */
function pausedAt(svg, seconds) {
  const rule = `g,text,.k{animation-delay:-${seconds}s!important;animation-play-state:paused!important}`;
  return svg.replace('</style>', `${rule}</style>`);
}

function render(browser, path, { width, height }, extra = []) {
  const png = path.replace(/\.svg$/, '.png');
  execFileSync(
    browser,
    [
      '--headless',
      '--no-sandbox',
      '--hide-scrollbars',
      `--window-size=${width},${height}`,
      `--screenshot=${png}`,
      ...extra,
      `file://${path}`,
    ],
    { stdio: 'ignore' },
  );
  process.stdout.write(`${png}\n`);
}

function renderPicture(browser, folder, name) {
  const svg = readFileSync(`docs/pictures/${name}.svg`, 'utf8');
  const size = { width: attributeOf(svg, 'width'), height: attributeOf(svg, 'height') };
  const duration = Number(/animation:([\d.]+)s/.exec(svg)?.[1]);
  for (let moment = 0; moment < moments; moment += 1) {
    const seconds = ((duration * (moment + 0.5)) / moments).toFixed(1);
    const path = join(folder, `${name}-${seconds.padStart(4, '0')}.svg`);
    writeFileSync(path, pausedAt(svg, seconds));
    render(browser, path, size);
  }
  const still = join(folder, `${name}-reduced-motion.svg`);
  writeFileSync(still, svg);
  render(browser, still, size, ['--force-prefers-reduced-motion']);
}

const browser = findBrowser();
if (browser === undefined) {
  process.stderr.write(
    `The pictures cannot be rendered: none of ${browsers.join(', ')} is installed. Install Chromium, or set CHROME_PATH.\n`,
  );
  process.exitCode = 1;
} else {
  const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'natter-rendered-'));
  mkdirSync(folder, { recursive: true });
  for (const name of ['dark', 'light']) renderPicture(browser, resolve(folder), name);
}
