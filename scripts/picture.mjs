import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT } from './run-command.mjs';

const HELP = `Usage: node scripts/picture.mjs <address of a run in the Temporal UI> [path of Chromium]

Takes the picture of the README, docs/images/temporal-ui.png, from a run that stands in the Temporal UI.`;

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const [address, executablePath = '/usr/bin/chromium'] = process.argv.slice(2);
if (address === undefined) {
  console.error(HELP);
  process.exit(2);
}
const folder = join(ROOT, 'docs', 'images');
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
await page.goto(address);
const history = page.getByText('Event History').first();
await history.waitFor({ timeout: 30_000 });
// The timeline draws itself after the page has come.
await page.waitForTimeout(3_000);
const { y } = await history.boundingBox();
const clip = { x: 64, y: y - 20, width: 1216, height: Math.min(820, 1600 - y) };
await page.screenshot({ path: join(folder, 'temporal-ui.png'), clip });
await browser.close();
