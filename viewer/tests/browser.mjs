/** The browser that tests look through, and what they look at. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

export const place = resolve(process.env.VIEWED ?? 'viewed');
const pictures = join(import.meta.dirname, 'pictures');

function found() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      // The next one may be there.
    }
  }
  return undefined;
}

const executablePath = found();
/** Why nothing can be looked at; false if it can. */
export const skip = executablePath ? false : 'no chromium: set CHROMIUM to its path';

let browser;
export async function opened(page, hash = '', settings = {}) {
  browser ??= await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const tab = await browser.newPage({ viewport: { width: 1500, height: 900 }, ...settings });
  tab.setDefaultTimeout(60_000);
  tab.errors = [];
  tab.on('pageerror', (error) => tab.errors.push(error.message));
  tab.on('console', (message) => message.type() === 'error' && tab.errors.push(message.text()));
  await tab.goto(page.includes('://') ? page : `file://${join(place, page)}${hash}`);
  return tab;
}

/** Until all that is seen has been read. */
export async function ready(tab) {
  await tab.waitForFunction(() => {
    const numbers = [...document.querySelectorAll('.numbers')];
    return numbers.length > 0 && numbers.every((each) => each.dataset.ready !== 'no');
  });
  await tab.waitForFunction(() => !document.querySelector('.timeline.empty'));
}

export async function picture(tab, name) {
  mkdirSync(pictures, { recursive: true });
  await tab.waitForTimeout(200);
  await tab.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Bytes that the largest of the browser's processes that show pages has in memory. */
export async function memoryOf(tab) {
  const session = await tab.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  const sizes = pages.map(({ id }) => {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'));
    return 1024 * Number(kilobytes);
  });
  return Math.max(...sizes);
}

export const closed = () => browser?.close();
export const isThere = (page) => existsSync(join(place, page));
export const expected = () => JSON.parse(readFileSync(join(place, 'expected.json'), 'utf8'));
