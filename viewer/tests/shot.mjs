// Takes a picture of a page: node tests/shot.mjs PAGE.html OUT.png [HASH] [dark] [WIDTHxHEIGHT]
import { chromium } from 'playwright-core';

const [page, out, hash = '', scheme = 'light', size = '1500x900'] = process.argv.slice(2);
const [width, height] = size.split('x').map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const tab = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
tab.on('console', (message) => message.type() === 'error' && console.log('console:', message.text()));
tab.on('pageerror', (error) => console.log('error:', error.message));
await tab.goto(`${page.startsWith('http') ? page : `file://${page}`}${hash}`);
await tab.waitForTimeout(Number(process.env.WAIT ?? 2500));
if (process.env.DO) console.log(JSON.stringify(await tab.evaluate(process.env.DO)));
await tab.waitForTimeout(300);
await tab.screenshot({ path: out });
console.log(await tab.locator('.numbers').allTextContents());
await browser.close();
